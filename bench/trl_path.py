"""Times TRL's own path over JSON lines of conversations: trl_path.py TOKENIZER_FOLDER LOG

What SFTTrainer does with each row when assistant_only_loss is set: apply_chat_template with the training template of
the model family, ids and assistant mask. Reading the JSON is timed too; writing a table is not. Prints one JSON object:
bytes of the log, tokens, trained tokens, and CPU seconds of this process after its libraries are loaded.
"""

import json
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from transformers import AutoTokenizer  # noqa: E402

folder, log = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
template = (Path(find_spec("trl").origin).parent / "chat_templates" / "qwen3_training.jinja").read_text("utf-8")

size = tokens = trained = 0
start = time.process_time()
with open(log, "rb") as lines:
    for line in lines:
        size += len(line)
        row = tokenizer.apply_chat_template(
            json.loads(line)["messages"],
            chat_template=template,
            tokenize=True,
            return_dict=True,
            return_assistant_tokens_mask=True,
        )
        tokens += len(row["input_ids"])
        trained += sum(row["assistant_masks"])
print(json.dumps({"bytes": size, "tokens": tokens, "trained": trained, "cpu": time.process_time() - start}))
