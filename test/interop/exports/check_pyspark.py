"""Loads every table of a corpus with Spark and compares every value, and every Parquet export's number of rows.

Needs a Java of version 17 or later.
"""

from pyspark.sql import SparkSession

from common import DUMP, EXPORTS, Checks, corpus_files, jsonl, parquet_files, plain, table

# the columns that name a row of each table: Spark keeps no order among files and row groups
KEYS = {
    "sft": ("row_id",),
    "rl": ("sequence_id",),
    "windows": ("window_id",),
    "executions": ("trajectory_id", "execution_id"),
    "trajectories": ("trajectory_id",),
}


def sorted_rows(rows, name):
    return sorted(rows, key=lambda row: [row[key] for key in KEYS[name]])


def main():
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for path in sorted(DUMP.glob("*.jsonl")):
        name, split = path.stem.split("-", 1)
        read = spark.read.parquet(*corpus_files(name, split)).collect()
        checks = Checks()
        rows = [plain(row.asDict(recursive=True)) for row in read]
        checks.rows(f"Spark {name}", sorted_rows(rows, name), sorted_rows(jsonl(path), name))
        checks.report(f"{name} {split} by Spark")
    checks = Checks()
    exported = sorted(folder.name for folder in EXPORTS.iterdir() if parquet_files(folder.name))
    windows = table("windows")
    rows = {
        "verl-rl": len([w for w in windows if w["reward"] is not None and w["n_trained"] > 0]),
        "expanded": len([w for w in windows if w["sequence_id"] is not None]),
    }
    for name in exported:
        # packs are fewer than rows, and are compared by their own suites
        if name not in ("megatron-bridge", "trl-packed"):
            expected = rows.get(name, len(table("sft")))
            checks.equal(f"Spark {name} rows", spark.read.parquet(*parquet_files(name)).count(), expected)
    checks.report(f"exports by Spark: {', '.join(exported)}")
    spark.stop()


main()
