"""Megatron-Bridge's own data path on an export: its packed Parquet dataset and its collator.

Transformer Engine is imported by its models and does not build without a GPU: an empty module stands for it. The data
modules are its own.
"""

import importlib.abc
import importlib.machinery
import logging
import sys
import typing
from unittest.mock import MagicMock

import typing_extensions

# Megatron-Bridge asks for Python 3.12; of 3.11 this name is all that its data modules miss
typing.override = typing_extensions.override
logging.disable(logging.WARNING)


class WithoutTransformerEngine(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "transformer_engine":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__spec__, module.__path__, module.__version__ = spec, [], "2.9.0"
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, WithoutTransformerEngine())

from megatron.bridge.data.packing.parquet import GPTSFTPackedParquetDataset  # noqa: E402

from common import EXPORTS, Checks, mask_of, table  # noqa: E402

PACK = 8192
# <|endoftext|>: what the collator pads with, and after which it trains nothing
EOS = 151643


class Tokenizer:
    """What the dataset asks of a tokenizer when ids are given."""

    eos_id = eod = EOS
    bos_id = pad_id = EOS


def main():
    sft = table("sft")
    path = str(EXPORTS / "megatron-bridge" / "train" / "packed-*.idx.parquet")
    dataset = GPTSFTPackedParquetDataset(
        path, Tokenizer(), max_seq_length=PACK, pad_to_max_length=True, answer_only_loss=True, prompt_template="{text} {answer}"
    )
    for i in range(len(dataset)):
        row = dataset[i]
        GPTSFTPackedParquetDataset.validate_row(i, row["input_ids"], row["loss_mask"], list(row["seq_boundaries"][:-1]))
    batch = dataset.collate_fn([dataset[i] for i in range(len(dataset))])
    by_ids = {tuple(row["input_ids"]): row for row in sft}
    checks = Checks()
    seen = 0
    for ids, labels, mask, bounds in zip(batch["tokens"], batch["labels"], batch["loss_mask"], batch["cu_seqlens_q"]):
        starts = bounds.tolist()
        for start, end in zip(starts, starts[1:]):
            row = by_ids.get((ids[start].item(), *labels[start:end].tolist())) if end > start else None
            if row is None:
                checks.equal("trained in padding", mask[start:end].sum(), 0)
                continue
            checks.equal("inputs", ids[start:end], row["input_ids"][:-1])
            # entry i of the mask weighs label i, which is token i+1
            checks.equal("mask", mask[start:end], mask_of(row)[1:])
            seen += 1
    checks.equal("megatron-bridge rows", seen, len(sft))
    trained = sum(sum(mask_of(row)) for row in sft)
    checks.equal("trained tokens", batch["loss_mask"].sum(), trained)
    checks.report(f"megatron-bridge, packed dataset: {len(dataset)} packs, {seen} rows, {trained} trained tokens")


main()
