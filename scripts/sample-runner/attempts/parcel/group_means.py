import csv
from collections import defaultdict

KEYS = ["service"]


def load(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def table(rows):
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[k] for k in KEYS)].append(float(row["hours"]))
    overall = sum(float(r["hours"]) for r in rows) / len(rows)
    return {k: sum(v) / len(v) for k, v in groups.items()}, overall


def guess(model, row):
    means, overall = model
    return means.get(tuple(row[k] for k in KEYS), overall)


train, test = load("data/train.csv"), load("data/test.csv")
model = table(train[:450])
error = (sum((guess(model, r) - float(r["hours"])) ** 2 for r in train[450:]) / 150) ** 0.5
print(f"validation rmse: {error:.4f}")
model = table(train)
with open("submission.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["parcel_id", "hours"])
    for row in test:
        out.writerow([row["parcel_id"], f"{guess(model, row):.3f}"])
