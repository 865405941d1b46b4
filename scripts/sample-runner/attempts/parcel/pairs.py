import csv

with open("data/train.csv", newline="") as f:
    train = list(csv.DictReader(f))
rows = [(float(r["distance_km"]), float(r["weight_kg"]), float(r["hours"])) for r in train]

# leave-one-out kernel regression for every pair of bandwidths
best = None
for wide in [b / 4 for b in range(2, 400)]:
    for heavy in [b / 10 for b in range(1, 60)]:
        error = 0.0
        for i, (d, w, h) in enumerate(rows):
            top = bottom = 1e-9
            for j, (d2, w2, h2) in enumerate(rows):
                if i != j:
                    k = 1 / (1 + ((d - d2) / wide) ** 2 + ((w - w2) / heavy) ** 2)
                    top += k * h2
                    bottom += k
            error += (top / bottom - h) ** 2
        if best is None or error < best[0]:
            best = (error, wide, heavy)
            print(f"validation rmse: {(error / len(rows)) ** 0.5:.4f} at {wide}, {heavy}", flush=True)
