"""What prime-rl does with exported rows, by the package that it renders and masks with (renderers), up to ids and mask.

prime-rl itself is no package of the index. Its SFT dataset (src/prime_rl/trainer/sft/data/dataset.py, commit 58813604)
loads the Parquet files with datasets, drops nulls outside the arguments of calls, reads those from their JSON, reads
tools from their string, and calls build_training_sample as is done here.
"""

import json

import datasets
from renderers.base import build_training_sample, create_renderer
from renderers.configs import Qwen3RendererConfig

from common import Checks, counted_difference, difference, mask_of, parquet_files, table, tokenizer


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def with_arguments(message):
    for call in message.get("tool_calls", []):
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return message


def main():
    sft, made = table("sft"), tokenizer()
    renderer = create_renderer(made, Qwen3RendererConfig())
    rows = datasets.load_dataset("parquet", data_files=parquet_files("prime-rl"), split="train")
    checks = Checks()
    checks.equal("prime-rl rows", len(rows), len(sft))
    same = covered = more = 0
    for number, (row, loaded) in enumerate(zip(sft, rows)):
        messages = [with_arguments(without_nulls(message)) for message in loaded["messages"]]
        tools = json.loads(loaded["tools"]) if loaded["tools"] else []
        sample = build_training_sample(renderer, messages, tools=tools, ensure_final_stop=True)
        ids, mask = list(sample.token_ids), [int(bit) for bit in sample.loss_mask]
        checks.equal("lengths", len(mask), len(ids))
        if ids != row["input_ids"][: len(ids)]:
            continue
        same += 1
        ours = mask_of(row)[: len(ids)]
        checks.equal("counted difference", difference(mask, ours), counted_difference("prime-rl", number))
        covered += all(theirs or not bit for theirs, bit in zip(mask, ours))
        more += sum(theirs and not bit for theirs, bit in zip(mask, ours))
        untrained = any(m["role"] == "assistant" and not m.get("trained") for m in json.loads(row["messages"]))
        if not untrained:
            checks.equal("mask", mask, ours)
    checks.equal("conversations with our ids", same > 0, True)
    checks.report(
        f"prime-rl: {len(sft)} conversations, {same} with our ids, in {covered} all our trained tokens are trained; "
        f"{more} tokens besides, of turns that our mask leaves out"
    )


main()
