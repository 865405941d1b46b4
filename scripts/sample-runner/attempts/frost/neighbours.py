import csv

K = 1
COLUMNS = ["night_low_c", "dew_gap_c", "wind_ms", "cloud_pct", "altitude_m"]


def load(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def vector(row):
    return [float(row[c]) for c in COLUMNS]


def vote(known, labels, x):
    near = sorted(range(len(known)), key=lambda i: sum((a - b) ** 2 for a, b in zip(known[i], x)))
    return sum(labels[i] for i in near[:K]) / K


train, test = load("data/train.csv"), load("data/test.csv")
x, y = [vector(r) for r in train], [int(r["damage"]) for r in train]
right = sum((vote(x[:500], y[:500], v) >= 0.5) == (t == 1) for v, t in zip(x[500:], y[500:]))
print(f"validation accuracy: {right / 100:.2f}")
with open("submission.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["night_id", "damage"])
    for row in test:
        out.writerow([row["night_id"], f"{vote(x, y, vector(row)):.4f}"])
