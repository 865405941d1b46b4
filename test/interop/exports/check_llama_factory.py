"""LLaMA-Factory's own data path on exported rows: its loader and its collator, up to the batch."""

import importlib.machinery
import sys
import types

# LLaMA-Factory imports torchaudio for sounds; its binaries do not load beside every CPU build of torch
sys.modules["torchaudio"] = types.ModuleType("torchaudio")
sys.modules["torchaudio"].__spec__ = importlib.machinery.ModuleSpec("torchaudio", None)

from llamafactory.data import SFTDataCollatorWith4DAttentionMask, get_dataset, get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.hparams import DataArguments, ModelArguments  # noqa: E402
from transformers import Seq2SeqTrainingArguments  # noqa: E402

from common import EXPORTS, Checks, labels_of, table, tokenizer  # noqa: E402


def load(arguments):
    made = tokenizer()
    template = get_template_and_fix_tokenizer(made, arguments)
    training = Seq2SeqTrainingArguments(output_dir="unused", do_train=True, report_to=[], use_cpu=True)
    model = ModelArguments(model_name_or_path="unused")
    module = get_dataset(template, model, arguments, training, stage="sft", tokenizer=made)
    return module["train_dataset"], template, made


def check_tokens(sft):
    rows, template, made = load(DataArguments(template="qwen3", tokenized_path=str(EXPORTS / "llama-factory")))
    checks = Checks()
    checks.equal("llama-factory rows", len(rows), len(sft))
    collate = SFTDataCollatorWith4DAttentionMask(template=template, tokenizer=made, model=None, label_pad_token_id=-100)
    for start in range(0, len(sft), 4):
        batch = collate([dict(rows[i]) for i in range(start, min(start + 4, len(sft)))])
        for place, row in enumerate(sft[start : start + 4]):
            kept = batch["attention_mask"][place].bool()
            checks.equal("llama-factory ids", batch["input_ids"][place][kept], row["input_ids"])
            checks.equal("llama-factory labels", batch["labels"][place][kept], labels_of(row))
            padding = batch["labels"][place][~kept].tolist()
            checks.equal("llama-factory padding", padding, [-100] * len(padding))
    checks.report("llama-factory, get_dataset and collator")


def check_sharegpt(sft):
    arguments = DataArguments(
        template="qwen3",
        dataset=["trajmill_train"],
        dataset_dir=str(EXPORTS / "llama-factory-sharegpt"),
        cutoff_len=100_000,
        overwrite_cache=True,
    )
    rows, _, _ = load(arguments)
    by_ids = {tuple(row["input_ids"]): row for row in sft}
    same = covered = 0
    for row in rows:
        ours = by_ids.get(tuple(row["input_ids"]))
        if ours is None:
            continue
        same += 1
        covered += all(theirs != -100 or label == -100 for theirs, label in zip(row["labels"], labels_of(ours)))
    print(f"ok llama-factory-sharegpt: {len(rows)} conversations, {same} with our ids, in {covered} of them all our trained tokens")


def main():
    sft = table("sft")
    check_tokens(sft)
    check_sharegpt(sft)


main()
