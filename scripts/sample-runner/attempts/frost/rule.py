import csv
from collections import defaultdict

with open("data/train.csv", newline="") as f:
    train = list(csv.DictReader(f))
with open("data/test.csv", newline="") as f:
    test = list(csv.DictReader(f))


def bucket(row):
    return round(float(row["night_low_c"]) / 1.5), row["bloom_stage"]


seen = defaultdict(lambda: [1, 2])
for row in train:
    cell = seen[bucket(row)]
    cell[0] += int(row["damage"])
    cell[1] += 1
print("cells:", len(seen), "base rate:", round(sum(int(r["damage"]) for r in train) / len(train), 3))
with open("submission.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["night_id", "damage"])
    for row in test:
        hits, total = seen[bucket(row)]
        out.writerow([row["night_id"], round(hits / total, 4)])
