import csv
import itertools

COLUMNS = ["night_low_c", "dew_gap_c", "wind_ms", "cloud_pct", "altitude_m"]
with open("data/train.csv", newline="") as f:
    train = list(csv.DictReader(f))
x = [[float(r[c]) for c in COLUMNS] for r in train]
y = [int(r["damage"]) for r in train]

best = None
grid = list(itertools.product([0.25, 0.5, 1, 2, 4], repeat=len(COLUMNS)))
print("trying", len(grid), "feature scalings", flush=True)
for done, scale in enumerate(grid):
    hits = 0
    for i, a in enumerate(x):
        near = min(
            (j for j in range(len(x)) if j != i),
            key=lambda j: sum(((p - q) * s) ** 2 for p, q, s in zip(a, x[j], scale)),
        )
        hits += y[near] == y[i]
    if best is None or hits > best[0]:
        best = (hits, scale)
print("best", best)
