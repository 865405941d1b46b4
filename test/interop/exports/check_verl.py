"""verl's own data path on exported rows: its factory, collator and loss, with our dataset classes.

verl-tokens: ids and masks of the collated batch, and the loss over them, are those of our masks. verl: the ids of each
conversation are those of the row where verl's rendering, message by message, gives the row's text, and the tokens that
verl trains hold those that our mask trains. verl-rl: a DataProto of the windows, and its policy loss over them, in which each
window has its own denominator.
"""

import sys

import pyarrow.parquet
import torch
from omegaconf import OmegaConf
from tensordict import TensorDict
from verl import DataProto
from verl.trainer.ppo.core_algos import get_policy_loss_fn
from verl.trainer.sft_trainer import create_sft_dataset
from verl.utils.dataset.dataset_utils import DatasetPadMode, SFTTensorCollator
from verl.workers.config.actor import ActorConfig
from verl.workers.utils.losses import sft_loss

from common import EXPORTS, Checks, counted_difference, difference, mask_of, parquet_files, table, tokenizer


def data_config(name, class_name, **more):
    custom = {"path": str(EXPORTS / name / "trajmill_verl.py"), "name": class_name}
    return OmegaConf.create({"custom_cls": custom, "pad_mode": "no_padding", "max_length": 100_000, **more})


def check_tokens(sft, made):
    checks = Checks()
    rows = create_sft_dataset(parquet_files("verl-tokens"), data_config("verl-tokens", "TokenRows"), made, None)
    checks.equal("verl rows", len(rows), len(sft))
    batch = SFTTensorCollator(DatasetPadMode.NO_PADDING)([rows[i] for i in range(len(rows))])
    checks.equal("verl ids", batch["input_ids"].values(), [token for row in sft for token in row["input_ids"]])
    checks.equal("verl masks", batch["loss_mask"].values(), [bit for row in sft for bit in mask_of(row)])

    # log-probabilities as verl has them: entry i is that of token i+1; each gets a number of its own
    generator = torch.Generator().manual_seed(0)
    values = [torch.randn(len(row["input_ids"]), generator=generator) for row in sft]
    count = sum(sum(mask_of(row)) for row in sft)
    data = TensorDict({"loss_mask": batch["loss_mask"]}, batch_size=[len(sft)])
    data.set_non_tensor("dp_size", 1)
    data.set_non_tensor("batch_num_tokens", count)
    nested = torch.nested.as_nested_tensor(values, layout=torch.jagged)
    loss, _ = sft_loss(None, {"log_probs": nested}, data)
    by_hand = -sum(
        value[i - 1].item() for row, value in zip(sft, values) for i, bit in enumerate(mask_of(row)) if bit
    )
    if abs(loss.item() - by_hand / count) > 1e-5:
        raise SystemExit(f"verl's loss is {loss.item()}, by hand it is {by_hand / count}")
    checks.report(f"verl-tokens: {len(sft)} rows, loss {loss.item():.6f} as by hand")


def check_messages(sft, made):
    config = data_config("verl", "MessageRows", ignore_input_ids_mismatch=True)
    rows = create_sft_dataset(parquet_files("verl"), config, made, None)
    checks = Checks()
    same = covered = 0
    for number, row in enumerate(sft):
        item = rows[number]
        ids, mask = item["input_ids"].tolist(), item["loss_mask"].tolist()
        if ids != row["input_ids"]:
            continue
        same += 1
        checks.equal("counted difference", difference(mask, mask_of(row)), counted_difference("verl", number))
        covered += all(theirs or not ours for theirs, ours in zip(mask, mask_of(row)))
    checks.report(f"verl: {len(sft)} conversations, {same} with our ids, in {covered} of them all our trained tokens")


def check_windows(made):
    sys.path.insert(0, str(EXPORTS / "verl-rl"))
    from trajmill_verl import padded_batch

    rows = pyarrow.parquet.read_table(parquet_files("verl-rl")).to_pylist()
    batch = DataProto.from_dict(padded_batch(rows, pad_id=made.pad_token_id)).batch
    checks = Checks()
    generator = torch.Generator().manual_seed(0)
    old, new = (-torch.rand(batch["responses"].shape, generator=generator) for _ in range(2))
    config = ActorConfig(strategy="fsdp", rollout_n=1, ppo_micro_batch_size_per_gpu=1)
    loss, _ = get_policy_loss_fn("vanilla")(
        old, new, batch["advantages"], batch["response_mask"], "seq-mean-token-mean", config
    )
    by_hand = []
    for number, row in enumerate(rows):
        kept = batch["attention_mask"][number].bool()
        checks.equal("verl-rl ids", batch["input_ids"][number][kept], row["prompt_ids"] + row["response_ids"])
        terms = []
        for place, bit in enumerate(row["response_mask"]):
            ratio = (new - old)[number, place].exp().item()
            clipped = min(max(ratio, 1 - config.clip_ratio), 1 + config.clip_ratio)
            term = min(row["reward"] * ratio, row["reward"] * clipped)
            if row["reward"] < 0:
                term = max(term, row["reward"] * config.clip_ratio_c)
            terms += [-term] * bit
        by_hand.append(sum(terms) / len(terms))
    expected = sum(by_hand) / len(by_hand)
    if abs(loss.item() - expected) > 1e-5:
        raise SystemExit(f"verl's policy loss is {loss.item()}, by hand it is {expected}")
    checks.report(f"verl-rl: {len(rows)} windows in a DataProto, policy loss {loss.item():.6f} as by hand")


def main():
    sft = table("sft")
    made = tokenizer()
    check_tokens(sft, made)
    check_messages(sft, made)
    check_windows(made)


main()
