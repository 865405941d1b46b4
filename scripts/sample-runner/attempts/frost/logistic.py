import csv
import math

COLUMNS = ["night_low_c", "dew_gap_c", "wind_ms", "cloud_pct", "altitude_m", "soil_moisture", "sprinklers"]
EPOCHS = 12
RATE = 0.05


def load(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def features(row):
    return [float(row[c]) for c in COLUMNS]


def fit(rows, targets):
    weights, bias = [0.0] * len(rows[0]), 0.0
    for epoch in range(EPOCHS):
        for x, y in zip(rows, targets):
            p = predict(weights, bias, x)
            bias -= RATE * (p - y)
            weights = [w - RATE * (p - y) * v for w, v in zip(weights, x)]
    return weights, bias


def predict(weights, bias, x):
    z = bias + sum(w * v for w, v in zip(weights, x))
    return 1 / (1 + math.exp(-max(-30, min(30, z))))


def auc(targets, scores):
    pos = [s for s, t in zip(scores, targets) if t == 1]
    neg = [s for s, t in zip(scores, targets) if t == 0]
    wins = sum((p > n) + 0.5 * (p == n) for p in pos for n in neg)
    return wins / (len(pos) * len(neg))


train, test = load("data/train.csv"), load("data/test.csv")
x = [features(r) for r in train]
x_test = [features(r) for r in test]
means = [sum(c) / len(c) for c in zip(*x)]
spreads = [(sum((v - m) ** 2 for v in c) / len(c)) ** 0.5 or 1.0 for c, m in zip(zip(*x), means)]
x = [[(v - m) / s for v, m, s in zip(r, means, spreads)] for r in x]
x_test = [[(v - m) / s for v, m, s in zip(r, means, spreads)] for r in x_test]
y = [int(r["damage"]) for r in train]

weights, bias = fit(x[:450], y[:450])
print(f"validation auc: {auc(y[450:], [predict(weights, bias, r) for r in x[450:]]):.4f}")
weights, bias = fit(x, y)
with open("submission.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["night_id", "damage"])
    for row, r in zip(test, x_test):
        out.writerow([row["night_id"], f"{predict(weights, bias, r):.6f}"])
print("wrote submission.csv with", len(test), "rows")
