"""One step of TRL's own SFTTrainer on exported rows: its loss is the one that our mask says.

The model is tiny and random. By hand: the mean of -log p(token i | tokens before i) over the tokens i > 0 whose mask
is 1, over all rows of the batch. Rows alone are compared, and packs, where no row may see the row before it.

Of the export of messages, what SFTTrainer makes of it with TRL's training template of Qwen3: where the ids are ours, its
mask differs from ours by the tokens that the export counts.
"""

import tempfile

import datasets
import torch
from transformers import LlamaConfig, LlamaForCausalLM
from trl import SFTConfig, SFTTrainer
from trl.chat_template_utils import qwen3_training_chat_template

from common import Checks, counted_difference, difference, mask_of, parquet_files, table, tokenizer

ROWS = 3
TOLERANCE = 2e-5


def rows_of(name):
    return datasets.load_dataset("parquet", data_files=parquet_files(name), split="train")


def tiny_model(vocabulary):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        # wide weights: with the usual ones every token costs about log(vocabulary), whichever is trained
        initializer_range=0.5,
        attn_implementation="sdpa",
    )
    return LlamaForCausalLM(config)


def by_hand(model, rows, shift=0):
    """Mean loss of the trained tokens, and how many they are, each row alone; `shift` makes a wrong mask."""
    total, count = 0.0, 0
    with torch.no_grad():
        for row in rows:
            ids = torch.tensor([row["input_ids"]])
            logits = model(input_ids=ids).logits[0, :-1]
            picked = torch.tensor([i - shift for i, bit in enumerate(row["loss_mask"]) if bit and i - shift > 0])
            losses = torch.nn.functional.cross_entropy(logits[picked - 1].double(), ids[0, picked], reduction="none")
            total += losses.sum().item()
            count += len(picked)
    return total / count, count


def one_step(model, dataset, made, batch, **options):
    """Loss and trained tokens of the first step, as the trainer logs them."""
    with tempfile.TemporaryDirectory() as folder:
        config = SFTConfig(
            output_dir=folder,
            max_length=None,
            per_device_train_batch_size=batch,
            max_steps=1,
            logging_steps=1,
            learning_rate=1e-9,
            report_to=[],
            use_cpu=True,
            bf16=False,
            save_strategy="no",
            gradient_checkpointing=False,
            dataloader_pin_memory=False,
            **options,
        )
        trainer = SFTTrainer(model=model, args=config, train_dataset=dataset, processing_class=made)
        collated = next(iter(trainer.get_train_dataloader()))
        trainer.train()
        log = next(entry for entry in trainer.state.log_history if "loss" in entry)
        return log["loss"], int((collated["labels"][..., 1:] != -100).sum())


def joined(rows):
    """The rows as one, which is what a pack without boundaries would be."""
    return [{key: [value for row in rows for value in row[key]] for key in ("input_ids", "loss_mask")}]


def compare(name, actual, expected, wrong):
    """`wrong` are losses of wrong masks or boundaries: they must be told apart from the right one."""
    for fault, (loss, _) in wrong.items():
        if abs(loss - expected[0]) < 10 * TOLERANCE:
            raise SystemExit(f"{name}: {fault} would give {loss}, too near to {expected[0]} to be noticed")
    if not abs(actual[0] - expected[0]) < TOLERANCE:
        raise SystemExit(f"{name}: TRL's loss is {actual[0]}, by hand it is {expected[0]}")
    if actual[1] != expected[1]:
        raise SystemExit(f"{name}: TRL trains {actual[1]} tokens, our mask {expected[1]}")
    print(f"ok {name}: loss {actual[0]}, by hand {expected[0]:.6f}, {actual[1]} trained tokens")


def messages_prepared(made):
    """Ids and mask of each conversation, as SFTTrainer prepares them with assistant_only_loss."""
    made.chat_template = qwen3_training_chat_template
    with tempfile.TemporaryDirectory() as folder:
        config = SFTConfig(
            output_dir=folder, max_length=None, assistant_only_loss=True, report_to=[], use_cpu=True, bf16=False
        )
        rows = rows_of("trl-messages")
        trainer = SFTTrainer(model=tiny_model(len(made)), args=config, train_dataset=rows, processing_class=made)
        for row in trainer.train_dataset:
            if "labels" in row:
                yield row["input_ids"], [int(label != -100) for label in row["labels"]]
            else:
                yield row["input_ids"], row["assistant_masks"]


def check_messages(sft, made):
    checks = Checks()
    same = more = 0
    for number, (row, (ids, mask)) in enumerate(zip(sft, messages_prepared(made), strict=True)):
        checks.equal("lengths", len(mask), len(ids))
        if ids != row["input_ids"]:
            continue
        same += 1
        found = difference(mask, mask_of(row))
        checks.equal("counted difference", found, counted_difference("trl-messages", number))
        more += found[0]
    checks.equal("conversations with our ids", same > 0, True)
    checks.report(f"TRL, messages: {len(sft)} conversations, {same} with our ids, of which it trains {more} tokens more")


def main():
    sft, made = table("sft"), tokenizer()
    order = sorted(range(len(sft)), key=lambda i: len(sft[i]["input_ids"]))[:ROWS]
    chosen = [sft[i] for i in order]
    expected = by_hand(tiny_model(len(made)), chosen)
    wrong = {"a mask shifted by one": by_hand(tiny_model(len(made)), chosen, shift=1)}
    rows = rows_of("trl").select(order)
    compare("TRL, rows", one_step(tiny_model(len(made)), rows, made, ROWS), expected, wrong)

    # the emptiest pack, for the memory of its logits
    packs = rows_of("trl-packed")
    several = [i for i in range(len(packs)) if len(packs[i]["seq_lengths"]) > 1]
    smallest = min(several, key=lambda i: len(packs[i]["input_ids"]))
    by_ids = {tuple(row["input_ids"]): row for row in sft}
    parts, start = [], 0
    for length in packs[smallest]["seq_lengths"]:
        parts.append(by_ids[tuple(packs[smallest]["input_ids"][start : start + length])])
        start += length
    expected = by_hand(tiny_model(len(made)), parts)
    wrong = {"a pack without boundaries": by_hand(tiny_model(len(made)), joined(parts))}
    actual = one_step(
        tiny_model(len(made)), packs.select([smallest]), made, 1, padding_free=True
    )
    compare(f"TRL, a pack of {len(parts)} rows", actual, expected, wrong)
    check_messages(sft, made)


main()
