"""Streams rows or windows of a corpus into a trainer: one row group in memory, no row twice among the ranks.

    for row in rows("out/demo/corpus", rank=rank, world=world):       # supervised rows
        batch = tensors(row)                                          # input_ids, labels
    for window in windows("out/demo/corpus", rank=rank, world=world): # execution windows with rewards
        ...

The order is always the same: `skip` resumes an epoch after so many rows or windows of the same rank and world. Workers of
a DataLoader are ranks too: rank * workers + worker of world * workers. Needs pyarrow; torch only for `tensors`.
"""

import json
from pathlib import Path

import pyarrow.parquet as pq

IGNORED = -100


def shards(corpus, table, split="train"):
    """Files of a table and split, as the manifest names them: what it does not name is no part of the corpus."""
    manifest = json.loads((Path(corpus) / "manifest.json").read_text("utf-8"))
    files = [file for file in manifest["files"] if file["table"] == table and file["split"] == split]
    if not files:
        raise ValueError(f"{corpus}: no table {table} with split {split}")
    return [(Path(corpus) / file["path"], file["task"]) for file in files]


def row_groups(corpus, table, split, rank, world):
    """Row groups of this rank: of all groups of the split, in order, number rank, rank + world, and so on."""
    number = 0
    for path, task in shards(corpus, table, split):
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                if number % world == rank:
                    yield file, group, task
                number += 1


def rows(corpus, split="train", rank=0, world=1, columns=("row_id", "input_ids", "loss_mask", "weight"), skip=0):
    """Rows of table sft as dictionaries. Ranks may get different numbers of rows, or none."""
    for file, group, _ in row_groups(corpus, "sft", split, rank, world):
        size = file.metadata.row_group(group).num_rows
        if skip < size:
            yield from file.read_row_group(group, columns=list(columns)).to_pylist()[skip:]
        skip = max(0, skip - size)


def windows(corpus, split="train", rank=0, world=1, offline_policy=False, score_scales=("test",), skip=0):
    """Windows that have a reward and trained tokens, each with its context and a mask of its own tokens.

    Windows without recorded policy data, and rewards of another scale than those named, are an error of every rank,
    before the first window: say that they are wanted. `logprobs` is None where nothing was recorded, and 0.0 on tokens
    that are not trained.
    """
    ask_consent(corpus, split, offline_policy, score_scales)
    places, loaded = {}, None
    for file, group, task in row_groups(corpus, "rl", split, rank, world):
        if task != loaded:
            places, loaded = window_places(corpus, split, task), task
        for row in file.read_row_group(group).to_pylist():
            for window in places.get(row["sequence_id"], []):
                if skip > 0:
                    skip -= 1
                else:
                    yield window_of(row, window)


def ask_consent(corpus, split, offline_policy, score_scales):
    for path, task in shards(corpus, "rl", split):
        places = window_places(corpus, split, task)
        for row in pq.read_table(path, columns=["sequence_id", "policy_data"]).to_pylist():
            for window in places.get(row["sequence_id"], []):
                if row["policy_data"] != "recorded" and not offline_policy:
                    raise ValueError(f"window {window['window_id']} has no policy data (offline_policy=True takes it)")
                if (window["score_scale"] or "test") not in score_scales:
                    raise ValueError(f"window {window['window_id']} is paid by scores of {window['score_scale']}")


def window_places(corpus, split, task):
    """Windows with a reward and trained tokens that one task wrote, by sequence."""
    places = {}
    for path, own in shards(corpus, "windows", split):
        if own == task:
            for window in pq.read_table(path).to_pylist():
                if window["reward"] is not None and window["n_trained"] > 0:
                    places.setdefault(window["sequence_id"], []).append(window)
    return places


def window_of(row, window):
    start, end = window["token_start"], window["token_end"]
    mask = [0] * start + row["loss_mask"][start:end]
    logprobs = None
    if row["policy_data"] == "recorded":
        logprobs = [p if trained else 0.0 for p, trained in zip(row["rollout_log_probs"], mask)]
    return {
        "window_id": window["window_id"],
        "input_ids": row["input_ids"][:end],
        "loss_mask": mask,
        "reward": window["reward"],
        "outcome": window["outcome"],
        "logprobs": logprobs,
        "weight_version": row["weight_version"],
    }


def tensors(row):
    """Ids and labels as tensors. Labels are unshifted: a model of transformers shifts them itself."""
    import torch

    labels = [token if trained else IGNORED for token, trained in zip(row["input_ids"], row["loss_mask"])]
    return {"input_ids": torch.tensor(row["input_ids"]), "labels": torch.tensor(labels)}
