"""Loads every table of a corpus with datasets, pyarrow, pandas, polars and DuckDB, and compares every value.

Then streams the rows to several ranks and workers: by datasets and by our own reader, none is lost and none comes twice.
"""

import itertools
import sys

import datasets
import duckdb
import pandas
import polars
import pyarrow.parquet
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader

from common import CORPUS, DUMP, ROOT, Checks, corpus_files, jsonl, plain, table

sys.path.insert(0, str(ROOT / "python"))
import trajmill_reader  # noqa: E402

# the last is more ranks than there are row groups
WORLDS = (1, 2, 3, 7, 11)


def by_datasets(name, split, _files):
    return datasets.load_dataset(str(CORPUS), name, split=split).to_list()


def by_streaming(name, split, _files):
    return list(datasets.load_dataset(str(CORPUS), name, split=split, streaming=True))


def by_pyarrow(_name, _split, files):
    return pyarrow.parquet.read_table(files).to_pylist()


def by_pandas(_name, _split, files):
    frame = pandas.concat([pandas.read_parquet(file) for file in files])
    return frame.to_dict("records")


def by_polars(_name, _split, files):
    return polars.read_parquet(files).to_dicts()


def by_duckdb(_name, _split, files):
    return duckdb.sql(f"SELECT * FROM read_parquet({files})").to_arrow_table().to_pylist()


READERS = {
    "datasets": by_datasets,
    "datasets, streaming": by_streaming,
    "pyarrow": by_pyarrow,
    "pandas": by_pandas,
    "polars": by_polars,
    "duckdb": by_duckdb,
}


def same_ids(place, found, expected):
    if sorted(found) != sorted(expected):
        raise SystemExit(f"{place}: {len(found)} rows, {len(set(found))} of them different, expected {len(expected)}")


def of_rank(rank, world, skip=0):
    return trajmill_reader.rows(str(CORPUS), rank=rank, world=world, skip=skip)


def resumed_after(count, rank, world):
    """The rows of a rank that ends after `count` of them and starts again where it was."""
    return [*itertools.islice(of_rank(rank, world), count), *of_rank(rank, world, skip=count)]


def check_ranks():
    expected = [row["row_id"] for row in table("sft")]
    groups = sum(pyarrow.parquet.ParquetFile(path).num_row_groups for path in corpus_files("sft", "train"))
    if groups < 3:
        raise SystemExit(f"{groups} row groups are too few to tell anything of ranks")
    for world in WORLDS:
        ours = [row["row_id"] for rank in range(world) for row in of_rank(rank, world)]
        same_ids(f"trajmill_reader with {world} ranks", ours, expected)
        resumed = [row["row_id"] for rank in range(world) for row in resumed_after(rank + 1, rank, world)]
        same_ids(f"trajmill_reader with {world} ranks that start again", resumed, expected)
        stream = datasets.load_dataset(str(CORPUS), "sft", split="train", streaming=True).select_columns(["row_id"])
        parts = [split_dataset_by_node(stream, rank=rank, world_size=world) for rank in range(world)]
        same_ids(f"datasets with {world} ranks", [row["row_id"] for part in parts for row in part], expected)
    parts = [split_dataset_by_node(stream, rank=rank, world_size=2) for rank in range(2)]
    loaders = [DataLoader(part, batch_size=None, num_workers=2) for part in parts]
    same_ids("2 ranks of 2 workers", [row["row_id"] for loader in loaders for row in loader], expected)
    print(f"ok ranks: {len(expected)} rows of {groups} row groups by {WORLDS} ranks, trajmill_reader and datasets")


def check_windows():
    paid = [w for w in table("windows") if w["reward"] is not None and w["n_trained"] > 0]
    sequences = {row["sequence_id"]: row for row in table("rl")}
    windows = {w["window_id"]: w for w in trajmill_reader.windows(str(CORPUS), offline_policy=True)}
    checks = Checks()
    for window in paid:
        found = windows.pop(window["window_id"])
        start, end = window["token_start"], window["token_end"]
        row = sequences[window["sequence_id"]]
        checks.equal("ids", found["input_ids"], row["input_ids"][:end])
        checks.equal("mask", found["loss_mask"], [0] * start + row["loss_mask"][start:end])
        checks.equal("trained", sum(found["loss_mask"]), window["n_trained"])
        checks.equal("reward", found["reward"], window["reward"])
    checks.equal("windows that are not paid", sorted(windows), [])
    for world in WORLDS:
        parts = [trajmill_reader.windows(str(CORPUS), rank=rank, world=world, offline_policy=True) for rank in range(world)]
        same_ids(f"windows by {world} ranks", [w["window_id"] for part in parts for w in part], [w["window_id"] for w in paid])
    for refused in ({}, {"offline_policy": True, "score_scales": ()}):
        try:
            list(trajmill_reader.windows(str(CORPUS), **refused))
        except ValueError:
            continue
        raise SystemExit(f"trajmill_reader gives windows without consent: {refused}")
    checks.report(f"trajmill_reader, {len(paid)} windows")


def main():
    for path in sorted(DUMP.glob("*.jsonl")):
        name, split = path.stem.split("-", 1)
        expected = jsonl(path)
        for reader, read in READERS.items():
            checks = Checks()
            rows = [plain(row) for row in read(name, split, corpus_files(name, split))]
            checks.rows(f"{reader} {name}", rows, expected)
            checks.report(f"{name} {split} by {reader}")
    check_ranks()
    check_windows()


main()
