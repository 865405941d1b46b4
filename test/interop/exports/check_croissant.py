"""Reads croissant.json of the corpus with the package of MLCommons, and every row of every table by it alone.

The sums of the files are compared with the files, since the package does not look at those of local ones.
"""

import hashlib
import json
import logging

import mlcroissant

from common import CORPUS, DUMP, Checks, jsonl, plain

# what a corpus made locally cannot know
UNKNOWN = ("citeAs", "datePublished", "license")


class Warnings(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def text_of(value):
    """Text comes as bytes."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return [text_of(item) for item in value] if isinstance(value, list) else value


def main():
    warnings = Warnings()
    logging.getLogger("absl").addHandler(warnings)
    dataset = mlcroissant.Dataset(str(CORPUS / "croissant.json"))
    lines = [line for text in warnings.texts for line in text.splitlines() if line.startswith("  -")]
    for line in lines:
        if not any(f"/{name}" in line for name in UNKNOWN):
            raise SystemExit(f"croissant.json: {line}")
    checks = Checks()
    described = json.loads((CORPUS / "croissant.json").read_text("utf-8"))
    for entry in described["distribution"]:
        if "contentUrl" in entry:
            content = (CORPUS / entry["contentUrl"]).read_bytes()
            checks.equal(f"{entry['@id']} sum", hashlib.sha256(content).hexdigest(), entry["sha256"])
            checks.equal(f"{entry['@id']} size", f"{len(content)} B", entry["contentSize"])
    for record_set in dataset.metadata.record_sets:
        name = record_set.id
        records = [
            {key.split("/", 1)[1]: text_of(plain(value)) for key, value in record.items()}
            for record in dataset.records(name)
        ]
        expected = [row for path in sorted(DUMP.glob(f"{name}-*.jsonl")) for row in jsonl(path)]
        checks.rows(f"croissant {name}", records, expected)
    checks.report(f"croissant.json by mlcroissant, {len(dataset.metadata.record_sets)} tables")


main()
