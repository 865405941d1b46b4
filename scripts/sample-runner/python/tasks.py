"""The three sample tasks: how their rows are drawn, and how their submissions are read and graded."""

import math
import random

import metrics

BLOOM_CRITICAL = {"dormant": -9.0, "swelling": -5.5, "open": -2.2, "petal_fall": -1.4}
DEPOT_DELAY = {"alder": 1.0, "birch": 1.15, "cedar": 0.9, "elm": 1.3, "hazel": 1.05}
SERVICE_PACE = {"economy": 1.6, "standard": 1.0, "express": 0.55}
VARIETIES = {
    # share, length mm, width mm, density: the ratios tell more than the sizes do
    "amber": (0.40, 6.0, 3.05, 1.22),
    "bronte": (0.28, 6.4, 2.90, 1.30),
    "calla": (0.20, 5.7, 3.10, 1.30),
    "dorado": (0.12, 6.1, 3.20, 1.14),
}


def frost_rows(count, rng):
    rows = []
    for number in range(count):
        stage = rng.choice(list(BLOOM_CRITICAL))
        altitude = rng.uniform(120, 620)
        wind = rng.expovariate(1 / 1.8)
        cloud = rng.uniform(0, 100)
        low = rng.gauss(-3.6, 2.9)
        dew_gap = max(0.0, rng.gauss(2.5, 1.6))
        sprinklers = 1 if rng.random() < 0.35 else 0
        pooling = 1.4 if wind < 1.0 and altitude < 300 else 0.0
        margin = BLOOM_CRITICAL[stage] - low
        logit = 0.75 * margin + pooling + 0.18 * dew_gap - 0.9 * sprinklers - 0.008 * cloud - 0.25
        target = 1 if rng.random() < 1 / (1 + math.exp(-logit)) else 0
        soil = "" if rng.random() < 0.07 else f"{min(60.0, max(4.0, rng.gauss(27, 9))):.1f}"
        features = {
            "night_id": f"n{number:04d}",
            "night_low_c": f"{low:.1f}",
            "dew_gap_c": f"{dew_gap:.1f}",
            "wind_ms": f"{wind:.1f}",
            "cloud_pct": f"{cloud:.0f}",
            "altitude_m": f"{altitude:.0f}",
            "soil_moisture": soil,
            "bloom_stage": stage,
            "sprinklers": str(sprinklers),
        }
        rows.append((features, str(target)))
    return rows


def parcel_rows(count, rng):
    rows = []
    for number in range(count):
        service = rng.choice(["economy", "standard", "standard", "express"])
        depot = rng.choice(list(DEPOT_DELAY))
        distance = min(900.0, math.exp(rng.gauss(4.6, 0.8)))
        weight = round(rng.expovariate(1 / 4.0) + 0.2, 1)
        stops = int(distance / 60) + rng.randint(0, 6)
        weekday = rng.randint(0, 6)
        rain = "" if rng.random() < 0.05 else f"{max(0.0, rng.gauss(1.5, 3)):.1f}"
        road = 0.34 * distance**0.62 * SERVICE_PACE[service] * DEPOT_DELAY[depot]
        weekend = 9.0 if weekday >= 4 and service != "express" else 0.0
        heavy = 3.0 if weight > 8 else 0.0
        hours = (road + 0.55 * stops + weekend + heavy + 4) * math.exp(rng.gauss(0, 0.16))
        features = {
            "parcel_id": f"p{number:04d}",
            "distance_km": f"{distance:.1f}",
            "weight_kg": f"{weight:.1f}",
            "stops": str(stops),
            "weekday": str(weekday),
            "rain_mm": rain,
            "service": service,
            "depot": depot,
        }
        rows.append((features, f"{hours:.2f}"))
    return rows


def seed_rows(count, rng):
    names = list(VARIETIES)
    shares = [VARIETIES[name][0] for name in names]
    rows = []
    for number in range(count):
        variety = rng.choices(names, weights=shares)[0]
        _, length, width, density = VARIETIES[variety]
        size = math.exp(rng.gauss(0, 0.13))
        length = length * size * math.exp(rng.gauss(0, 0.022))
        width = width * size * math.exp(rng.gauss(0, 0.022))
        weight = density * length * width * width * 0.52 * math.exp(rng.gauss(0, 0.045))
        features = {
            "seed_id": f"s{number:04d}",
            "length_mm": f"{length:.2f}",
            "width_mm": f"{width:.2f}",
            "weight_mg": f"{weight:.1f}",
            "lustre": f"{rng.gauss(50, 12):.0f}",
            "moisture_pct": f"{rng.gauss(11, 1.5):.1f}",
        }
        rows.append((features, variety))
    return rows


TASKS = {
    "sample-frost-damage": {
        "rows": frost_rows,
        "seed": 4101,
        "n_train": 600,
        "n_test": 500,
        "id": "night_id",
        "target": "damage",
        "sample_value": "0.5",
        "kind": "probability",
        "metric": "auc",
        "score": metrics.auc,
        "is_lower_better": False,
        "overview": (
            "Fruit growers record one line a night. Predict the probability that frost damages the blossom.\n"
            "Submissions are evaluated by the area under the ROC curve; higher is better.\n"
            "The file needs a header and one line for each night of the test set: night_id,damage"
        ),
    },
    "sample-parcel-hours": {
        "rows": parcel_rows,
        "seed": 4202,
        "n_train": 600,
        "n_test": 400,
        "id": "parcel_id",
        "target": "hours",
        "sample_value": "24",
        "kind": "number",
        "metric": "rmse",
        "score": metrics.rmse,
        "is_lower_better": True,
        "overview": (
            "Predict how many hours a parcel takes from depot to door.\n"
            "Submissions are evaluated by the root mean squared error in hours; lower is better.\n"
            "The file needs a header and one line for each parcel of the test set: parcel_id,hours"
        ),
    },
    "sample-seed-variety": {
        "rows": seed_rows,
        "seed": 4303,
        "n_train": 500,
        "n_test": 450,
        "id": "seed_id",
        "target": "variety",
        "sample_value": "amber",
        "kind": "label",
        "metric": "macro_f1",
        "score": metrics.macro_f1,
        "is_lower_better": False,
        "overview": (
            "Name the variety of a seed (amber, bronte, calla or dorado) from five measurements.\n"
            "Submissions are evaluated by macro-averaged F1; higher is better.\n"
            "The file needs a header and one line for each seed of the test set: seed_id,variety"
        ),
    },
}


def draw(task_id):
    """Train and test rows of a task, each a list of (features, answer). The seed fixes every value."""
    task = TASKS[task_id]
    rows = task["rows"](task["n_train"] + task["n_test"], random.Random(task["seed"]))
    return rows[: task["n_train"]], rows[task["n_train"] :]


def read_value(task, text):
    """A predicted value as the metric takes it; raises ValueError with the reason."""
    if task["kind"] == "label":
        if text not in VARIETIES:
            raise ValueError(f"unknown label {text!r}")
        return text
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"value is not finite: {text}")
    if task["kind"] == "probability" and not 0 <= value <= 1:
        raise ValueError(f"not a probability: {text}")
    return value


def grade_rows(task_id, header, lines, answers):
    """Score of a parsed submission, rounded to 5 digits; raises ValueError with the reason it is invalid.

    `answers` maps ids to answer texts. Order of lines is free, every id must stand there once.
    """
    task = TASKS[task_id]
    wanted = [task["id"], task["target"]]
    if header != wanted:
        raise ValueError(f"expected columns {','.join(wanted)}, found {','.join(header)}")
    if len(lines) != len(answers):
        raise ValueError(f"expected {len(answers)} rows, found {len(lines)}")
    predictions = {}
    for number, line in enumerate(lines, start=2):
        if len(line) != 2:
            raise ValueError(f"line {number}: expected 2 values, found {len(line)}")
        if line[0] not in answers:
            raise ValueError(f"line {number}: unknown id {line[0]}")
        predictions[line[0]] = read_value(task, line[1])
    if len(predictions) != len(answers):
        raise ValueError("some ids stand there twice")
    truth = [read_value(task, answers[key]) for key in answers]
    return round(task["score"](truth, [predictions[key] for key in answers]), 5)
