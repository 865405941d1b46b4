"""SkyRL's own data path on exported rows: its pretokenized loader and both of its collators, up to the batch."""

import typing

import typing_extensions

# pydantic wants this one of Python 3.11; SkyRL itself asks for 3.12
typing.TypedDict = typing_extensions.TypedDict

from skyrl.train.dataset.collators import DefaultCollator, PackedDataCollator  # noqa: E402
from skyrl.train.dataset.pretokenized import load_from_pretokenized  # noqa: E402

from common import EXPORTS, Checks, mask_of, table, tokenizer  # noqa: E402


def close(one, other):
    return abs(one - other) < 1e-7


def check_alone(rows, sft, made):
    """Rows padded on the left. The loss mask covers the last tokens of all rows, entry i the token itself."""
    checks = Checks()
    batch = DefaultCollator(made, len(sft))([rows[i] for i in range(len(sft))], batch_size=len(sft))
    trained = sum(sum(mask_of(row)) for row in sft)
    for place, row in enumerate(sft):
        length = len(row["input_ids"])
        checks.equal("ids", batch["sequences"][place][-length:], row["input_ids"])
        checks.equal("attention", batch["attention_mask"][place].sum(), length)
        mask = batch["loss_mask"][place]
        whole = [0] * (len(mask) - length) + mask_of(row)
        checks.equal("mask", (mask > 0).int(), whole[-len(mask) :])
        checks.equal("weights", all(close(w, 1 / trained) for w in mask[mask > 0].tolist()), True)
    checks.report(f"skyrl, pretokenized loader and DefaultCollator, {trained} trained tokens of one weight")


def check_packed(rows, sft, made):
    """Rows packed into bins. Entry p of the loss mask speaks of token p+1."""
    checks = Checks()
    collate = PackedDataCollator(made, 8192, 1, 1, 1, 1, len(sft), 1)
    batch = collate([rows[i] for i in range(len(sft))], batch_size=len(sft))
    by_ids = {tuple(row["input_ids"]): row for row in sft}
    seen = 0
    for ids, mask, lengths in zip(batch["sequences"], batch["loss_mask"], batch["sub_seq_lengths"].tensors):
        start = 0
        for length in lengths.tolist():
            row = by_ids[tuple(ids[start : start + length].tolist())]
            found = (mask[start : start + length] > 0).int().tolist()
            found += [0] * (length - len(found))
            checks.equal("packed mask", found, [*mask_of(row)[1:], 0])
            start += length
            seen += 1
    checks.equal("packed rows", seen, len(sft))
    checks.report("skyrl, PackedDataCollator")


def main():
    sft, made = table("sft"), tokenizer()
    rows = load_from_pretokenized(str(EXPORTS / "skyrl" / "train"))
    if len(rows) != len(sft):
        raise SystemExit(f"skyrl read {len(rows)} rows of {len(sft)}")
    check_alone(rows, sft, made)
    check_packed(rows, sft, made)


main()
