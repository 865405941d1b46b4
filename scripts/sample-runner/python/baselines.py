"""Runs and grades the baselines whose scores are the leaderboard of a task.

Usage: python3 baselines.py TASK_ID FOLDER; reads the public files of FOLDER, grades against its private answers and
prints [{"name", "score"}, ...] as JSON, best first.
"""

import csv
import json
import math
import os
import sys
from collections import Counter

import models
from tasks import BLOOM_CRITICAL, DEPOT_DELAY, SERVICE_PACE, TASKS, grade_rows


def number(text, fallback=0.0):
    return float(text) if text else fallback


FROST_SETS = {
    "low": lambda r: [number(r["night_low_c"])],
    "weather": lambda r: [number(r[k]) for k in ("night_low_c", "dew_gap_c", "wind_ms", "cloud_pct")],
    "site": lambda r: [number(r["night_low_c"]), number(r["altitude_m"]), number(r["sprinklers"])],
    "all": lambda r: [
        *(number(r[k]) for k in ("night_low_c", "dew_gap_c", "wind_ms", "cloud_pct", "altitude_m", "sprinklers")),
        number(r["soil_moisture"], 27.0),
    ],
    "stages": lambda r: [
        *(number(r[k]) for k in ("night_low_c", "dew_gap_c", "cloud_pct", "sprinklers")),
        *(1.0 if r["bloom_stage"] == stage else 0.0 for stage in BLOOM_CRITICAL),
    ],
    "stages+site": lambda r: [
        *(number(r[k]) for k in ("night_low_c", "dew_gap_c", "wind_ms", "cloud_pct", "altitude_m", "sprinklers")),
        *(1.0 if r["bloom_stage"] == stage else 0.0 for stage in BLOOM_CRITICAL),
    ],
}


def parcel_numbers(r):
    return [number(r[k]) for k in ("distance_km", "weight_kg", "stops", "weekday", "rain_mm")]


def one_hot(value, names):
    return [1.0 if value == name else 0.0 for name in names]


PARCEL_SETS = {
    "distance": lambda r: [number(r["distance_km"])],
    "numbers": parcel_numbers,
    "service": lambda r: [*parcel_numbers(r), *one_hot(r["service"], SERVICE_PACE)],
    "categories": lambda r: [*parcel_numbers(r), *one_hot(r["service"], SERVICE_PACE), *one_hot(r["depot"], DEPOT_DELAY)],
    "weekend": lambda r: [
        *parcel_numbers(r),
        *one_hot(r["service"], SERVICE_PACE),
        *one_hot(r["depot"], DEPOT_DELAY),
        1.0 if int(r["weekday"]) >= 4 else 0.0,
        math.log(number(r["distance_km"])),
    ],
}

SEED_SETS = {
    "length": lambda r: [number(r["length_mm"])],
    "sizes": lambda r: [number(r[k]) for k in ("length_mm", "width_mm")],
    "three": lambda r: [number(r[k]) for k in ("length_mm", "width_mm", "weight_mg")],
    "all": lambda r: [number(r[k]) for k in ("length_mm", "width_mm", "weight_mg", "lustre", "moisture_pct")],
    "ratio": lambda r: [
        number(r["length_mm"]) / number(r["width_mm"]),
        *(number(r[k]) for k in ("length_mm", "width_mm", "weight_mg")),
    ],
    "shape": lambda r: [
        number(r["length_mm"]) / number(r["width_mm"]),
        number(r["weight_mg"]) / (number(r["length_mm"]) * number(r["width_mm"])),
    ],
}


def frost_baselines(train, answers, test):
    targets = [float(answer) for answer in answers]
    for name, features in FROST_SETS.items():
        seen, new = [features(r) for r in train], [features(r) for r in test]
        for epochs, rate, penalty in ((1, 0.05, 0.0), (5, 0.05, 0.0), (15, 0.05, 0.001), (5, 0.5, 0.0), (5, 0.02, 0.3)):
            yield f"logistic {name} {epochs}x{rate} l2={penalty}", models.logistic(seen, targets, new, epochs, rate, penalty)
        for floor in (0.001, 2.0):
            margins = models.bayes(seen, targets, new, floor)
            odds = [max(-30.0, min(30.0, m[1.0] - m[0.0])) for m in margins]
            yield f"bayes {name} floor={floor}", [1 / (1 + math.exp(-o)) for o in odds]
        ranked = models.neighbours(seen, new)
        for k in (1, 3, 7, 15, 31, 60):
            yield f"neighbours {name} k={k}", [sum(targets[i] for i in near[:k]) / k for near in ranked]
        for rounds, rate, cuts in ((1, 1.0, 3), (5, 0.5, 5), (10, 0.3, 7), (25, 0.3, 7), (50, 0.2, 7), (50, 0.5, 9), (100, 0.1, 9)):
            raw = models.boosted_stumps(seen, targets, new, rounds, rate, cuts)
            yield f"stumps {name} {rounds}x{rate}", [min(1.0, max(0.0, p)) for p in raw]


def parcel_baselines(train, answers, test):
    targets = [float(answer) for answer in answers]
    logs = [math.log(target) for target in targets]
    for name, features in PARCEL_SETS.items():
        seen, new = [features(r) for r in train], [features(r) for r in test]
        for penalty in (1.0, 300.0, 3000.0):
            yield f"ridge {name} l2={penalty}", models.ridge(seen, targets, new, penalty)
        yield f"ridge of log {name}", [math.exp(p) for p in models.ridge(seen, logs, new, 1.0)]
        ranked = models.neighbours(seen, new)
        for k in (1, 5, 15, 60):
            yield f"neighbours {name} k={k}", [math.fsum(targets[i] for i in near[:k]) / k for near in ranked]
        for rounds, rate in ((5, 0.5), (20, 0.3), (60, 0.3), (100, 0.1)):
            yield f"stumps {name} {rounds}x{rate}", models.boosted_stumps(seen, targets, new, rounds, rate, 9)


def seed_baselines(train, answers, test):
    for name, features in SEED_SETS.items():
        seen, new = [features(r) for r in train], [features(r) for r in test]
        for floor in (1e-4, 0.05):
            posteriors = models.bayes(seen, answers, new, floor)
            yield f"bayes {name} floor={floor}", [max(sorted(p), key=p.get) for p in posteriors]
        ranked = models.neighbours(seen, new)
        for k in (1, 3, 7, 15, 31):
            votes = [Counter(answers[i] for i in near[:k]) for near in ranked]
            yield f"neighbours {name} k={k}", [max(sorted(v), key=v.get) for v in votes]


BASELINES = {
    "sample-frost-damage": frost_baselines,
    "sample-parcel-hours": parcel_baselines,
    "sample-seed-variety": seed_baselines,
}


def read_dicts(folder, *place):
    with open(os.path.join(folder, *place), newline="") as source:
        return list(csv.DictReader(source))


def main(task_id, folder):
    task = TASKS[task_id]
    train = read_dicts(folder, "public", "train.csv")
    test = read_dicts(folder, "public", "test.csv")
    answers = {row[task["id"]]: row[task["target"]] for row in read_dicts(folder, "private", "answers.csv")}
    board = []
    for name, predictions in BASELINES[task_id](train, [row[task["target"]] for row in train], test):
        lines = [[row[task["id"]], str(value)] for row, value in zip(test, predictions)]
        board.append({"name": name, "score": grade_rows(task_id, [task["id"], task["target"]], lines, answers)})
    board.sort(key=lambda entry: entry["score"], reverse=not task["is_lower_better"])
    print(json.dumps(board))


if __name__ == "__main__":
    main(*sys.argv[1:])
