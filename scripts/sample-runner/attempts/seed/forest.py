import csv
from sklearn.ensemble import RandomForestClassifier

with open("data/train.csv", newline="") as f:
    train = list(csv.DictReader(f))
columns = ["length_mm", "width_mm", "weight_mg", "lustre", "moisture_pct"]
model = RandomForestClassifier(n_estimators=200, random_state=0)
model.fit([[float(r[c]) for c in columns] for r in train], [r["variety"] for r in train])
print("fitted")
