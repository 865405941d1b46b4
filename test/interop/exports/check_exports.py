"""Reads every export of a corpus as its trainer's reader does, and compares it with the rows that Node dumped.

EXPORTS holds a folder for each export, named like it. What is written here follows the readers of the trainers: the
same library calls, or the same arithmetic on masks where a trainer's package does not install on a CPU.
"""

import csv
import gzip
import json
import sys

import datasets
import numpy
import pandas
import pyarrow.parquet
import torch

from common import EXPORTS, Checks, jsonl, labels_of, mask_of, parquet_files, plain, table

SFT = table("sft")
RL = {row["sequence_id"]: row for row in table("rl")}
WINDOWS = {row["window_id"]: row for row in table("windows")}
PAID = {name for name, row in WINDOWS.items() if row["reward"] is not None and row["n_trained"] > 0}


def parquet(name):
    return datasets.load_dataset("parquet", data_files=parquet_files(name), split="train")


def token_rows(name, make):
    checks = Checks()
    checks.rows(name, parquet(name).to_list(), [make(row) for row in SFT])
    checks.report(name)


def ones(row):
    return [1] * len(row["input_ids"])


def check_labels():
    token_rows("trl", lambda row: {"input_ids": row["input_ids"], "labels": labels_of(row)})
    token_rows(
        "axolotl",
        lambda row: {"input_ids": row["input_ids"], "attention_mask": ones(row), "labels": labels_of(row)},
    )


def check_masks():
    for name in ("skyrl", "areal", "verl-tokens"):
        token_rows(name, lambda row: {"input_ids": row["input_ids"], "loss_mask": mask_of(row)})


def check_verl_class():
    """The dataset class that is shipped beside the rows, padded and not."""
    sys.path.insert(0, str(EXPORTS / "verl-tokens"))
    import trajmill_verl

    files = parquet_files("verl-tokens")
    longest = max(len(row["input_ids"]) for row in SFT)
    checks = Checks()
    unpadded = trajmill_verl.TokenRows(files, config={"pad_mode": "no_padding", "max_length": longest})
    padded = trajmill_verl.TokenRows(files, config={"max_length": longest + 3})
    checks.equal("verl rows", len(unpadded), len(SFT))
    for number, row in enumerate(SFT):
        length = len(row["input_ids"])
        item = unpadded[number]
        checks.equal("verl input_ids", item["input_ids"], row["input_ids"])
        checks.equal("verl loss_mask", item["loss_mask"], mask_of(row))
        checks.equal("verl position_ids", item["position_ids"], list(range(length)))
        fill = [0] * (longest + 3 - length)
        item = padded[number]
        checks.equal("verl padded loss_mask", item["loss_mask"], mask_of(row) + fill)
        checks.equal("verl attention_mask", item["attention_mask"], ones(row) + fill)
    rows = pyarrow.parquet.read_table(parquet_files("verl-rl")).to_pylist()
    batch = trajmill_verl.padded_batch(rows, pad_id=0)
    for index, row in enumerate(rows):
        kept = batch["attention_mask"][index].bool()
        checks.equal("verl batch ids", batch["input_ids"][index][kept], row["prompt_ids"] + row["response_ids"])
        trained = batch["response_mask"][index].bool()
        picked = [token for token, bit in zip(row["response_ids"], row["response_mask"]) if bit]
        checks.equal("verl trained", batch["responses"][index][trained], picked)
    checks.report("verl class")


def check_llama_factory():
    loaded = datasets.load_from_disk(str(EXPORTS / "llama-factory"))
    checks = Checks()
    expected = [
        {"input_ids": row["input_ids"], "attention_mask": ones(row), "labels": labels_of(row)} for row in SFT
    ]
    checks.rows("llama-factory", loaded["train"].to_list(), expected)
    checks.report("llama-factory, load_from_disk")


def check_olmo_core():
    checks = Checks()
    where = EXPORTS / "olmo-core" / "train"
    ids = numpy.memmap(where / "token_ids_part_0000.npy", mode="r", dtype=numpy.uint32)
    mask = numpy.memmap(where / "labels_mask_part_0000.npy", mode="r", dtype=numpy.bool_)
    with gzip.open(where / "token_ids_part_0000.csv.gz", "rt") as text:
        bounds = [(int(start), int(end)) for start, end in csv.reader(text)]
    checks.equal("olmo-core rows", len(bounds), len(SFT))
    for (start, end), row in zip(bounds, SFT):
        checks.equal("olmo-core ids", ids[start:end], row["input_ids"])
        checks.equal("olmo-core mask", mask[start:end].astype(int), mask_of(row))
    checks.equal("olmo-core end", len(ids), bounds[-1][1])
    checks.report("olmo-core, numpy.memmap")


def check_megatron():
    """The packed reader takes ids[start:end-1] as input, ids[start+1:end] as labels, and mask[start:end-1]."""
    checks = Checks()
    by_ids = {tuple(row["input_ids"]): row for row in SFT}
    seen = 0
    for pack in parquet("megatron-bridge").to_list():
        ids, mask, starts = pack["input_ids"], pack["loss_mask"], pack["seq_start_id"]
        if starts[0] != 0 or starts != sorted(starts) or starts[-1] >= len(ids) or len(mask) != len(ids):
            raise SystemExit(f"megatron-bridge: bounds {starts} of {len(ids)} tokens")
        for start, end in zip(starts, [*starts[1:], len(ids)]):
            row = by_ids[tuple(ids[start:end])]
            trained = [label for label, bit in zip(ids[start + 1 : end], mask[start : end - 1]) if bit]
            wanted = [t for t, bit in zip(row["input_ids"][1:], row["loss_mask"][1:]) if bit]
            checks.equal("megatron-bridge trained labels", trained, wanted)
            seen += 1
    checks.equal("megatron-bridge rows", seen, len(SFT))
    checks.report("megatron-bridge")


def plain_call(call):
    return {"id": call.get("id"), "type": call["type"], "function": call["function"]}


def check_messages():
    """Columns give every message all fields; those that a message has are the stored ones."""
    for name in ("trl-messages", "verl", "prime-rl"):
        checks = Checks()
        frames = [
            pandas.read_parquet(path, dtype_backend="pyarrow") for path in parquet_files(name)
        ]
        messages = [plain(value) for value in pandas.concat(frames)["messages"]]
        loaded = parquet(name).to_list()
        for number, row in enumerate(SFT):
            stored = json.loads(row["messages"])
            for place, got in (("pandas", messages[number]), ("datasets", loaded[number]["messages"])):
                checks.equal(f"{name} {place} messages", len(got), len(stored))
                for one, other in zip(got, stored):
                    for key in ("role", "content", "reasoning_content", "name", "tool_call_id"):
                        checks.equal(f"{name} {place} {key}", one[key], other.get(key))
                    calls = [plain_call(call) for call in other.get("tool_calls", [])] or None
                    checks.equal(f"{name} {place} calls", one["tool_calls"] or None, calls)
            checks.equal(f"{name} tools", loaded[number]["tools"], row["tools"])
        checks.report(name)


def check_message_lines():
    """Lines: each loads as JSON and as a data set, and flags say what the row trains."""
    for name, column, flag in (
        ("slime", "prompt", "step_loss_mask"),
        ("tinker", "messages", "trainable"),
        ("ms-swift", "messages", "loss"),
        ("nemo-rl", "messages", None),
    ):
        checks = Checks()
        path = EXPORTS / name / "train" / "data.jsonl"
        lines = jsonl(path)
        checks.equal(f"{name} rows", len(lines), len(SFT))
        if name != "slime":
            checks.equal(f"{name} data set", len(datasets.load_dataset("json", data_files=str(path))["train"]), len(SFT))
        for line, row in zip(lines, SFT):
            wanted = [bool(m.get("trained")) for m in json.loads(row["messages"]) if m["role"] == "assistant"]
            if flag is not None:
                found = [bool(m[flag]) for m in line[column] if m["role"] == "assistant"]
                if name != "ms-swift":
                    checks.equal(f"{name} flags", found, wanted)
                else:
                    checks.equal(f"{name} some", any(found) or any(m.get(flag) for m in line[column]), any(wanted))
        checks.report(name)
    info = json.loads((EXPORTS / "llama-factory-sharegpt" / "dataset_info.json").read_text())
    entry = info["trajmill_train"]
    lines = jsonl(EXPORTS / "llama-factory-sharegpt" / entry["file_name"])
    for line in lines:
        for number, said in enumerate(line["conversations"]):
            allowed = ("human", "observation") if number % 2 == 0 else ("gpt", "function_call")
            if said["from"] not in allowed:
                raise SystemExit(f"llama-factory-sharegpt: message {number} is from {said['from']}")
    print(f"ok llama-factory-sharegpt: {len(lines)} conversations that alternate")


def check_windows():
    checks = Checks()
    for line in jsonl(EXPORTS / "slime-samples" / "train" / "samples.jsonl"):
        window = WINDOWS[line["metadata"]["window_id"]]
        row = RL[window["sequence_id"]]
        start, end = window["token_start"], window["token_end"]
        checks.equal("slime tokens", line["tokens"], row["input_ids"][:end])
        checks.equal("slime mask", line["loss_mask"], row["loss_mask"][start:end])
        checks.equal("slime lengths", line["response_length"], end - start)
        checks.equal("slime reward", line["reward"], window["reward"])
    checks.report("slime-samples")
    checks = Checks()
    for line in jsonl(EXPORTS / "areal-rl" / "train" / "trajectories.jsonl"):
        window = WINDOWS[line["window_id"]]
        start = window["token_start"]
        mask = [0] * start + RL[window["sequence_id"]]["loss_mask"][start : window["token_end"]]
        checks.equal("areal mask", line["loss_mask"], mask)
        checks.equal("areal trained", sum(mask), window["n_trained"])
        for key in ("logprobs", "versions", "input_ids"):
            checks.equal(f"areal {key}", len(line[key]), len(mask))
        torch.tensor(line["logprobs"]), torch.tensor(line["versions"])
    checks.report("areal-rl")
    checks = Checks()
    seen = set()
    for line in jsonl(EXPORTS / "rllm" / "train" / "episodes.jsonl"):
        for trajectory in line["trajectories"]:
            window = WINDOWS[trajectory["uid"]]
            row = RL[window["sequence_id"]]
            seen.add(trajectory["uid"])
            trained = [token for step in trajectory["steps"] for token in step["response_ids"]]
            span = slice(window["token_start"], window["token_end"])
            wanted = [t for t, bit in zip(row["input_ids"][span], row["loss_mask"][span]) if bit]
            checks.equal("rllm trained", trained, wanted)
            for step in trajectory["steps"]:
                # the prompt stands in the output alone: Step.from_dict gives it to the step
                checks.equal("rllm response", step["model_output"]["completion_ids"], step["response_ids"])
                both = step["model_output"]["prompt_ids"] + step["response_ids"]
                checks.equal("rllm prefix", both, row["input_ids"][: len(both)])
                checks.equal("rllm advantage", step["advantage"], [window["reward"]] * len(step["response_ids"]))
    checks.equal("rllm windows", sorted(seen), sorted(PAID))
    checks.report("rllm")
    checks = Checks()
    total = [0.0, 0]
    for line in jsonl(EXPORTS / "prime-rl-samples" / "train" / "samples.jsonl"):
        row = next(RL[WINDOWS[name]["sequence_id"]] for name in line["window_ids"])
        checks.equal("prime-rl ids", line["token_ids"], row["input_ids"])
        for name in line["window_ids"]:
            window = WINDOWS[name]
            span = slice(window["token_start"], window["token_end"])
            total[0] += abs(sum(a for a, bit in zip(line["advantages"][span], line["mask"][span]) if bit))
            total[1] += window["n_trained"]
    mean = sum(abs(WINDOWS[name]["reward"]) for name in PAID) / len(PAID)
    if abs(total[0] / total[1] - mean) > 1e-9:
        raise SystemExit(f"prime-rl: windows weigh {total[0] / total[1]}, expected {mean}")
    checks.report("prime-rl-samples")


def check_expanded():
    """Self-contained windows: together they train each trained token of their sequence once."""
    checks = Checks()
    rows = pyarrow.parquet.read_table(parquet_files("expanded")).to_pylist()
    trained = {name: [0] * len(row["input_ids"]) for name, row in RL.items()}
    for row in rows:
        window, sequence = WINDOWS[row["window_id"]], RL[row["sequence_id"]]
        ids = row["input_ids"]
        checks.equal("expanded ids", ids, sequence["input_ids"][: len(ids)])
        checks.equal("expanded reward", row["reward"], window["reward"])
        checks.equal("expanded trained", sum(row["loss_mask"]), window["n_trained"])
        for place, bit in enumerate(row["loss_mask"]):
            trained[row["sequence_id"]][place] += bit
    for name, row in RL.items():
        checks.equal("expanded, every trained token once", trained[name], row["loss_mask"])
    checks.equal("expanded windows", len(rows), sum(row["sequence_id"] is not None for row in WINDOWS.values()))
    checks.report(f"expanded: {len(rows)} windows")


check_labels()
check_masks()
check_verl_class()
check_llama_factory()
check_olmo_core()
check_megatron()
check_messages()
check_message_lines()
check_windows()
check_expanded()
