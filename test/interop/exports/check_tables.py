"""Loads every table of a corpus with datasets, pyarrow, pandas, polars and DuckDB, and compares every value.

    python check_tables.py CORPUS DUMP       (DUMP is what dump-corpus.mjs wrote)
"""

import glob
import sys
from pathlib import Path

import datasets
import duckdb
import pandas
import polars
import pyarrow.parquet

from common import Checks, jsonl, plain

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
import trajmill_reader  # noqa: E402


def by_datasets(corpus, table, split, _files):
    loaded = datasets.load_dataset(corpus, table, split=split)
    return loaded.to_list()


def by_streaming(corpus, table, split, _files):
    return list(datasets.load_dataset(corpus, table, split=split, streaming=True))


def by_pyarrow(_corpus, _table, _split, files):
    return pyarrow.parquet.read_table(files).to_pylist()


def by_pandas(_corpus, _table, _split, files):
    frame = pandas.concat([pandas.read_parquet(file) for file in files])
    return frame.to_dict("records")


def by_polars(_corpus, _table, _split, files):
    return polars.read_parquet(files).to_dicts()


def by_duckdb(_corpus, _table, _split, files):
    return duckdb.sql(f"SELECT * FROM read_parquet({files})").to_arrow_table().to_pylist()


READERS = {
    "datasets": by_datasets,
    "datasets, streaming": by_streaming,
    "pyarrow": by_pyarrow,
    "pandas": by_pandas,
    "polars": by_polars,
    "duckdb": by_duckdb,
}


def check_ranks(corpus, dump):
    """Our own reader: no row twice and none lost, whatever the number of ranks."""
    expected = jsonl(Path(dump) / "sft-train.jsonl")
    for world in (1, 2, 3, 7):
        found = [row["row_id"] for rank in range(world) for row in trajmill_reader.rows(corpus, rank=rank, world=world)]
        if sorted(found) != sorted(row["row_id"] for row in expected):
            raise SystemExit(f"trajmill_reader with {world} ranks: {len(found)} rows, expected {len(expected)}")
    paid = [w for w in jsonl(Path(dump) / "windows-train.jsonl") if w["reward"] is not None and w["n_trained"] > 0]
    sequences = {row["sequence_id"]: row for row in jsonl(Path(dump) / "rl-train.jsonl")}
    windows = {w["window_id"]: w for w in trajmill_reader.windows(corpus, offline_policy=True)}
    for window in paid:
        found = windows.pop(window["window_id"])
        start, end = window["token_start"], window["token_end"]
        row = sequences[window["sequence_id"]]
        assert found["input_ids"] == row["input_ids"][:end], window["window_id"]
        assert found["loss_mask"] == [0] * start + row["loss_mask"][start:end], window["window_id"]
        assert sum(found["loss_mask"]) == window["n_trained"] and found["reward"] == window["reward"]
    if windows:
        raise SystemExit(f"trajmill_reader gave windows that are not paid: {sorted(windows)}")
    print(f"ok trajmill_reader: {len(expected)} rows by 1, 2, 3 and 7 ranks, {len(paid)} windows")


def main():
    corpus, dump = sys.argv[1:]
    for path in sorted(Path(dump).glob("*.jsonl")):
        table, split = path.stem.split("-", 1)
        expected = jsonl(path)
        files = sorted(glob.glob(f"{corpus}/data/{table}/{split}-*.parquet"))
        for name, read in READERS.items():
            checks = Checks()
            checks.rows(f"{name} {table}", [plain(row) for row in read(corpus, table, split, files)], expected)
            checks.report(f"{table} {split} by {name}")
    check_ranks(corpus, dump)


main()
