"""Checks exports against schemas of trainers that are no packages for a CPU, written from their sources:

slime              THUDM/slime slime/utils/types.py (commit 0d234f3e), slime/utils/mask_utils.py (02cd3966)
NeMo-RL            NVIDIA-NeMo/RL nemo_rl/data/datasets/response_datasets/oai_format_dataset.py (13de9e4c) and
                   nemo_rl/data/chat_utils.py (a4db5d97)
rLLM               rllm-org/rllm rllm/agents/agent.py (1da00850)
prime-rl           PrimeIntellect-ai/prime-rl src/prime_rl/transport/types.py (the version of 5,418 characters), TrainingSample
AReaL              areal 1.0.4, what areal/trainer/sft/lm_engine.py and its RL batches hold: lists as long as the ids

A field has a type, or a tuple of types; a list has the type of its items. Fields with a `?` may be absent.
"""

from common import EXPORTS, Checks, jsonl

NUMBER = (int, float)
NONE = type(None)

CALL = {"id?": (str, NONE), "type": str, "function": {"name": str, "arguments": (str, dict)}}
MESSAGE = {
    "role": str,
    "content": str,
    "reasoning_content?": str,
    "tool_calls?": [CALL],
    "name?": str,
    "tool_call_id?": str,
}
SLIME = {"prompt": [{**MESSAGE, "step_loss_mask?": int}], "tools?": [dict], "metadata": dict}
NEMO = {"messages": [MESSAGE], "message_loss_mask": [int], "tools?": [dict]}
SAMPLE = {
    "group_index": int,
    "index": int,
    "prompt": str,
    "tokens": [int],
    "response": str,
    "response_length": int,
    "reward": NUMBER,
    "loss_mask": [int],
    "rollout_log_probs": ([NUMBER], NONE),
    "weight_versions": [str],
    "status": str,
    "metadata": dict,
}
OUTPUT = {
    "prompt_ids": [int],
    "completion_ids": [int],
    "logprobs": ([NUMBER], NONE),
    "prompt_length": int,
    "completion_length": int,
    "weight_version": (int, NONE),
}
STEP = {
    "prompt_ids": [int],
    "response_ids": [int],
    "logprobs": [NUMBER],
    "chat_completions": list,
    "observation": NONE,
    "thought": str,
    "action": NONE,
    "model_response": str,
    "model_output": OUTPUT,
    "info": dict,
    "reward": NUMBER,
    "done": bool,
    "mc_return": NUMBER,
    "advantage": [NUMBER],
    "weight_version": (int, NONE),
}
TRAJECTORY = {"uid": str, "name": str, "task": NONE, "steps": [STEP], "reward": NUMBER, "info": dict}
EPISODE = {
    "id": str,
    "task": dict,
    "termination_reason": str,
    "is_correct": bool,
    "trajectories": [TRAJECTORY],
    "metrics": dict,
    "info": dict,
}
PRIME = {
    "token_ids": [int],
    "mask": [bool],
    "logprobs": ([NUMBER], NONE),
    "temperatures": [NUMBER],
    "env_name": str,
    "advantages": [NUMBER],
    "reward": NUMBER,
    "window_ids": [str],
    "is_correction": str,
}
AREAL = {
    "input_ids": [int],
    "loss_mask": [int],
    "logprobs": [NUMBER],
    "versions": [int],
    "rewards": NUMBER,
    "window_reward": NUMBER,
    "window_id": str,
    "is_correction": str,
}
STATUSES = ("pending", "completed", "truncated", "aborted", "failed")


def fits(value, schema):
    """Whether a value is of a schema; True and False are no numbers."""
    if isinstance(schema, tuple):
        return any(fits(value, each) for each in schema)
    if isinstance(schema, list):
        return isinstance(value, list) and all(fits(item, schema[0]) for item in value)
    if isinstance(schema, dict):
        names = {name.rstrip("?") for name in schema}
        if not isinstance(value, dict) or not set(value) <= names:
            return False
        return all(
            fits(value[name.rstrip("?")], each) if name.rstrip("?") in value else name.endswith("?")
            for name, each in schema.items()
        )
    return type(value) is schema


def check(name, file, schema, more=lambda checks, line: None):
    checks = Checks()
    lines = jsonl(EXPORTS / name / "train" / file)
    checks.equal(f"{name} some", len(lines) > 0, True)
    for number, line in enumerate(lines):
        checks.equal(f"{name} line {number} fits its schema", fits(line, schema), True)
        more(checks, line)
    checks.report(f"{name}, schema from the source")


def slime(checks, line):
    flags = ["step_loss_mask" in message for message in line["prompt"]]
    checks.equal("slime flags", flags, [message["role"] == "assistant" for message in line["prompt"]])


def nemo(checks, line):
    roles = [message["role"] for message in line["messages"]]
    checks.equal("nemo-rl last", roles[-1], "assistant")
    checks.equal("nemo-rl flags", len(line["message_loss_mask"]), len(roles))
    for role, flag in zip(roles, line["message_loss_mask"]):
        checks.equal("nemo-rl flag", flag == 0 or (flag == 1 and role == "assistant"), True)


def sample(checks, line):
    checks.equal("slime status", line["status"] in STATUSES, True)
    checks.equal("slime mask", len(line["loss_mask"]), line["response_length"])
    checks.equal("slime response", line["response_length"] < len(line["tokens"]), True)
    if line["rollout_log_probs"] is not None:
        checks.equal("slime log-probabilities", len(line["rollout_log_probs"]), line["response_length"])


def episode(checks, line):
    task, _, rollout = line["id"].rpartition(":")
    checks.equal("rllm id", bool(task) and rollout.isdigit(), True)
    for trajectory in line["trajectories"]:
        for step in trajectory["steps"]:
            length = len(step["response_ids"])
            checks.equal("rllm log-probabilities", len(step["logprobs"]) in (0, length), True)
            checks.equal("rllm advantages", len(step["advantage"]), length)


def as_long(ids, names):
    def look(checks, line):
        for name in names:
            if line[name] is not None:
                checks.equal(f"length of {name}", len(line[name]), len(line[ids]))

    return look


if fits({"a": True}, {"a": int}) or fits({"b": 1}, {"a?": int}) or not fits({}, {"a?": int}):
    raise SystemExit("the checker takes what it must not")
check("slime", "data.jsonl", SLIME, slime)
check("nemo-rl", "data.jsonl", NEMO, nemo)
check("slime-samples", "samples.jsonl", SAMPLE, sample)
check("rllm", "episodes.jsonl", EPISODE, episode)
check("prime-rl-samples", "samples.jsonl", PRIME, as_long("token_ids", ("mask", "logprobs", "temperatures", "advantages")))
check("areal-rl", "trajectories.jsonl", AREAL, as_long("input_ids", ("loss_mask", "logprobs", "versions")))
