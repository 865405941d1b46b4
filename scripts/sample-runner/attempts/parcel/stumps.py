import csv

ROUNDS = 60
RATE = 0.3
SERVICES = ["economy", "standard", "express"]


def load(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def features(row):
    numbers = [float(row[c]) for c in ("distance_km", "weight_kg", "stops", "weekday")]
    return numbers + [float(row["service"] == s) for s in SERVICES]


def boost(x, y):
    base = sum(y) / len(y)
    fitted, trees = [base] * len(y), []
    cuts = []
    for j in range(len(x[0])):
        ordered = sorted(r[j] for r in x)
        for value in sorted({ordered[len(ordered) * q // 10] for q in range(1, 10)}):
            left = [i for i, r in enumerate(x) if r[j] < value]
            if left:
                cuts.append((j, value, left))
    for _ in range(ROUNDS):
        rest = [t - p for t, p in zip(y, fitted)]
        total, best = sum(rest), (-1.0,)
        for j, value, left in cuts:
            inside = sum(rest[i] for i in left)
            gain = inside**2 / len(left) + (total - inside) ** 2 / (len(y) - len(left))
            if gain > best[0]:
                best = (gain, j, value, inside / len(left), (total - inside) / (len(y) - len(left)))
        trees.append(best[1:])
        fitted = [p + RATE * (best[3] if r[best[1]] < best[2] else best[4]) for p, r in zip(fitted, x)]
    return base, trees


def predict(model, r):
    base, trees = model
    return base + RATE * sum(low if r[j] < value else high for j, value, low, high in trees)


train, test = load("data/train.csv"), load("data/test.csv")
x, y = [features(r) for r in train], [float(r["hours"]) for r in train]
model = boost(x[:450], y[:450])
error = (sum((predict(model, r) - t) ** 2 for r, t in zip(x[450:], y[450:])) / 150) ** 0.5
print(f"validation rmse: {error:.4f}")
model = boost(x, y)
with open("submission.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["parcel_id", "hours"])
    for row in test:
        out.writerow([row["parcel_id"], f"{predict(model, features(row)):.3f}"])
