"""AReaL's own data path and losses on exported rows: its loader, collator, batches, SFT engine and PPO actor.

areal: ids and masks of the packed batch are those of our masks after AReaL's roll, and the loss of its LMEngine equals the
one by hand. areal-rl: every line passes AReaL's check of trajectories; its PPOActor gives each trained token the reward of
its line as advantage and every other token none, over all tokens their mean is that of the windows, and its loss equals the one by hand. Engines of models are stood for by
one that gives each token a log-probability of its own.

What serves models and logs experiments is imported by AReaL's packages and not needed here: empty modules stand for it.
"""

import importlib.abc
import importlib.machinery
import json
import logging
import sys
from unittest.mock import MagicMock

SERVING = {"anthropic", "flask", "openai", "ray", "swanlab", "trackio", "wandb", "werkzeug"}


class WithoutServing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in SERVING:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__spec__, module.__path__, module.__version__ = spec, [], "9"
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, WithoutServing())

import datasets  # noqa: E402
import torch  # noqa: E402
from areal.api.cli_args import PPOActorConfig, TrainDatasetConfig  # noqa: E402
from areal.infra.workflow_executor import check_trajectory_format  # noqa: E402
from areal.trainer.ppo.actor import PPOActor  # noqa: E402
from areal.trainer.sft.lm_engine import LMEngine  # noqa: E402
from areal.utils.data import collate_samples_to_list, pack_tensor_dict  # noqa: E402
from areal.utils.dataloader import create_dataloader  # noqa: E402

from common import EXPORTS, Checks, mask_of, parquet_files, table  # noqa: E402

logging.disable(logging.WARNING)

BATCH = 4
TOLERANCE = 1e-5
# what the page of the export says
PAGE = {
    "kl_ctl": 0.0,
    "discount": 1.0,
    "gae_lambda": 1.0,
    "reward_clip": 1000.0,
    "reward_scaling": 1.0,
    "reward_bias": 0.0,
    "reward_norm": None,
    "adv_norm": None,
    "recompute_logprob": True,
}


class Engine:
    """Stands for an engine of a model: packs a batch as AReaL's engines do, and asks for the loss of it."""

    def __init__(self):
        self.generator = torch.Generator().manual_seed(0)
        self.batches = []

    def train(self):
        pass

    def get_version(self):
        return 0

    def train_batch(self, input_, loss_fn, loss_weight_fn):
        packed = pack_tensor_dict(input_)
        # entry i is the log-probability of token i+1
        values = -torch.rand(packed["input_ids"].shape[0], generator=self.generator)
        loss = loss_fn(values, torch.zeros_like(values), packed)
        self.batches.append((packed, values, loss.item(), int(loss_weight_fn(packed))))
        return {}


def near(place, actual, expected):
    if abs(actual - expected) > TOLERANCE:
        raise SystemExit(f"{place}: {actual}, by hand {expected}")


def check_sft():
    sft, checks, engine = table("sft"), Checks(), Engine()
    rows = datasets.load_dataset("parquet", data_files=parquet_files("areal"), split="train")
    config = TrainDatasetConfig(path="unused", type="sft", batch_size=BATCH, shuffle=False, drop_last=False)
    loader = create_dataloader(rows, rank=0, world_size=1, dataset_config=config, collate_fn=collate_samples_to_list)
    trainer, seen = LMEngine(engine), 0
    for number, samples in enumerate(loader):
        chosen = sft[number * BATCH : number * BATCH + len(samples)]
        trainer.train_lm(samples)
        packed, values, loss, weight = engine.batches[-1]
        checks.equal("areal ids", packed["input_ids"], [token for row in chosen for token in row["input_ids"]])
        # AReaL rolls the padded batch: what stands at the end of a row is the mask of its first token
        rolled = [bit for row in chosen for bit in [*mask_of(row)[1:], 0]]
        checks.equal("areal masks", packed["loss_mask"].int(), rolled)
        checks.equal("areal weight", weight, sum(rolled))
        by_hand = -sum(value.item() for value, bit in zip(values, rolled) if bit) / sum(rolled)
        near("areal loss", loss, by_hand)
        seen += len(samples)
    checks.equal("areal rows", seen, len(sft))
    checks.report(f"areal: {seen} rows in {number + 1} batches, loss {loss:.6f} as by hand")


def trajectory_of(line):
    """A line as a workflow of AReaL returns it."""
    tensors = {
        "input_ids": torch.tensor(line["input_ids"], dtype=torch.int32),
        "loss_mask": torch.tensor(line["loss_mask"], dtype=torch.int32),
        "logprobs": torch.tensor(line["logprobs"], dtype=torch.float32),
        "versions": torch.tensor(line["versions"], dtype=torch.int32),
        "attention_mask": torch.ones(len(line["input_ids"]), dtype=torch.bool),
        "rewards": torch.tensor(line["rewards"], dtype=torch.float32),
    }
    return {name: value.unsqueeze(0) for name, value in tensors.items()}


def actor_of(engine, **options):
    names = {"experiment_name": "e", "trial_name": "t", "path": "unused", "ppo_n_minibatches": 1}
    return PPOActor(PPOActorConfig(**names, **{**PAGE, **options}), engine)


def batch_of(lines, generator):
    data = [trajectory_of(line) for line in lines]
    for trajectory in data:
        # what compute_logp would give
        trajectory["prox_logp"] = -torch.rand(trajectory["input_ids"].shape, generator=generator)
    return data


def check_rl():
    windows = {row["window_id"]: row for row in table("windows")}
    sequences = {row["sequence_id"]: row for row in table("rl")}
    checks, engine = Checks(), Engine()
    actor = actor_of(engine)
    with open(EXPORTS / "areal-rl" / "train" / "trajectories.jsonl", encoding="utf-8") as text:
        lines = [json.loads(line) for line in text]
    seen = total = count = 0
    for start in range(0, len(lines), BATCH):
        chosen = lines[start : start + BATCH]
        data = batch_of(chosen, engine.generator)
        for trajectory in data:
            checks.equal("areal-rl format", check_trajectory_format(trajectory), True)
        data = actor.compute_advantages(data)
        for line, trajectory in zip(chosen, data):
            window = windows[line["window_id"]]
            row = sequences[window["sequence_id"]]
            ids, first = trajectory["input_ids"][0], window["token_start"]
            checks.equal("areal-rl ids", ids, row["input_ids"][: len(ids)])
            mask = [0] * first + row["loss_mask"][first : len(ids)]
            checks.equal("areal-rl trained", sum(mask), window["n_trained"])
            checks.equal("areal-rl mask", trajectory["loss_mask"][0].int(), [*mask[1:], 0])
            paid = trajectory["advantages"][0] * trajectory["loss_mask"][0]
            checks.equal("areal-rl reward", line["window_reward"], window["reward"])
            wanted = torch.tensor([*mask[1:], 0]) * torch.tensor(line["rewards"], dtype=torch.float32)
            total += paid.sum().item()
            count += sum(mask)
            checks.equal("areal-rl advantages", paid, plain_floats(wanted))
            seen += 1
        before = len(engine.batches)
        actor.ppo_update(data)
        for packed, values, loss, weight in engine.batches[before:]:
            bits = packed["loss_mask"].bool()
            ratio = torch.exp(values - packed["prox_logp"])
            clipped = ratio.clamp(1 - actor.config.eps_clip, 1 + actor.config.eps_clip)
            terms = -torch.minimum(packed["advantages"] * ratio, packed["advantages"] * clipped)
            near("areal-rl loss", loss, (terms[bits].sum() / bits.sum()).item())
            checks.equal("areal-rl weight", weight, int(bits.sum()))
    paid = [row for row in windows.values() if row["reward"] is not None and row["n_trained"] > 0]
    checks.equal("areal-rl windows", seen, len(paid))
    # one window, one denominator
    near("areal-rl, the mean over tokens", total / count, sum(row["reward"] for row in paid) / len(paid))
    [other] = actor_of(engine, kl_ctl=0.1).compute_advantages(batch_of(lines[:1], engine.generator))
    different = (other["advantages"] - lines[0]["rewards"])[other["loss_mask"].bool()].abs().max().item()
    checks.equal("the default kl_ctl gives other advantages", different > 0.01, True)
    checks.report(f"areal-rl: {seen} windows, advantages are the rewards, loss as by hand")


def plain_floats(values):
    return [float(value) for value in values]


def main():
    check_sft()
    check_rl()


main()
