"""What the checks share: the rows that Node wrote down, and a count of comparisons that fails loudly."""

import json
from pathlib import Path


def jsonl(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def plain(value):
    """A value of any reader as Python's own lists, numbers and None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType":
        return None
    return value


class Checks:
    def __init__(self):
        self.values = 0

    def equal(self, place, actual, expected):
        actual = plain(actual)
        if actual != expected:
            raise SystemExit(f"{place}: {str(actual)[:300]} is not {str(expected)[:300]}")
        self.values += len(expected) if isinstance(expected, list) else 1

    def rows(self, place, actual, expected):
        """Rows of dictionaries, every field of each."""
        self.equal(f"{place}: number of rows", len(actual), len(expected))
        for number, (one, other) in enumerate(zip(actual, expected)):
            self.equal(f"{place} row {number}: columns", sorted(one), sorted(other))
            for column, value in other.items():
                self.equal(f"{place} row {number} {column}", one[column], value)

    def report(self, name):
        print(f"ok {name}: {self.values} values")


def mask_of(row):
    """The mask of an export: the first token of a row is never trained, since nothing predicts it."""
    return [0] + row["loss_mask"][1:]


def labels_of(row):
    return [token if trained else -100 for token, trained in zip(row["input_ids"], mask_of(row))]

