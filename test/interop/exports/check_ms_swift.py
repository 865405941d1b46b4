"""ms-swift's own data path on exported rows: its loader and its Qwen3 template, up to ids and labels.

ms-swift renders with a template of its own, which writes tools otherwise, gives every turn a think block, and trains the
newline behind the stop token. Which turns are trained is compared in all conversations, the trained tokens in those
turns where the words are the same.
"""

import json
import os
import shutil

os.environ["USE_HF"] = "1"

from swift.dataset import load_dataset  # noqa: E402
from swift.model import get_processor  # noqa: E402
from swift.template import get_template  # noqa: E402

from common import EXPORTS, MODELS, WORK, Checks, jsonl, labels_of, table, tokenizer  # noqa: E402


def model_folder():
    """A folder as a release of Qwen3 has it, without weights."""
    folder = WORK / "qwen3"
    if not folder.exists():
        shutil.copytree(MODELS, folder)
        tokenizer().save_pretrained(folder)
        config = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "torch_dtype": "float32"}
        (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def pieces_of(ids, labels):
    """Runs of trained tokens."""
    pieces, last = [], False
    for token, label in zip(ids, labels):
        trained = label != -100
        if trained and not last:
            pieces.append([])
        if trained:
            pieces[-1].append(token)
        last = trained
    return pieces


def main():
    sft = table("sft")
    made = tokenizer()
    template = get_template(get_processor(model_folder(), model_type="qwen3"), template_type="qwen3", agent_template="hermes")
    template.set_mode("train")
    path = EXPORTS / "ms-swift" / "train" / "data.jsonl"
    rows, _ = load_dataset([str(path)], load_from_cache_file=False)
    checks = Checks()
    checks.equal("ms-swift rows", len(rows), len(sft))
    turns = equal = 0
    for row, line, loaded in zip(sft, jsonl(path), rows):
        encoded = template.encode(dict(loaded))
        theirs = pieces_of(encoded["input_ids"], encoded["labels"])
        ours = pieces_of(row["input_ids"], labels_of(row))
        checks.equal("trained turns", len(theirs), len(ours))
        text = "\n".join(made.decode(piece) for piece in theirs)
        for said in line["messages"]:
            if "loss" in said and said["role"] == "assistant":
                checks.equal("words", said["content"].split("</think>")[-1].strip() in text, said["loss"])
        turns += len(ours)
        # without the newline behind the stop token
        equal += sum(one == other[:-1] for one, other in zip(ours, theirs))
    checks.equal("turns with our tokens", equal > 0, True)
    checks.report(f"ms-swift: {len(sft)} conversations, {turns} trained turns, {equal} of them with our trained tokens")


main()
