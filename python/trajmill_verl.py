"""Dataset classes for verl's SFT trainer, and batches of windows for a loop on its DataProto.

    data.custom_cls.path=OUT/trajmill_verl.py data.custom_cls.name=TokenRows      (export verl-tokens)
    data.custom_cls.path=OUT/trajmill_verl.py data.custom_cls.name=MessageRows    (export verl)
"""

import json

import pyarrow.parquet as pq
import torch


class TokenRows(torch.utils.data.Dataset):
    """Rows of input_ids and loss_mask, as they are: the mask speaks of token i itself, and verl shifts."""

    def __init__(self, parquet_files, tokenizer=None, config=None, processor=None, max_samples=-1):
        config = config or {}
        self.pad_mode = config.get("pad_mode", "right")
        self.max_length = config.get("max_length", 1024)
        self.truncation = config.get("truncation", "error")
        self.pad_id = getattr(tokenizer, "pad_token_id", None) or 0
        files = [parquet_files] if isinstance(parquet_files, str) else list(parquet_files)
        tables = [pq.read_table(path, columns=["input_ids", "loss_mask"]) for path in files]
        self.columns = [[table[name].combine_chunks() for table in tables] for name in ("input_ids", "loss_mask")]
        self.places = [(part, row) for part, table in enumerate(tables) for row in range(len(table))]
        if max_samples > 0:
            self.places = self.places[:max_samples]

    def __len__(self):
        return len(self.places)

    def __getitem__(self, item):
        part, row = self.places[item]
        ids, mask = (torch.tensor(column[part][row].as_py(), dtype=torch.long) for column in self.columns)
        if len(ids) > self.max_length:
            if self.truncation == "error":
                raise ValueError(f"row {item} has {len(ids)} tokens, max_length is {self.max_length}")
            cut = slice(-self.max_length, None) if self.truncation == "left" else slice(self.max_length)
            ids, mask = ids[cut], mask[cut]
        length = len(ids)
        result = {"input_ids": ids, "position_ids": torch.arange(length), "loss_mask": mask}
        if self.pad_mode == "no_padding":
            return result
        room = self.max_length - length
        pad = torch.nn.functional.pad
        return {
            "input_ids": pad(ids, (0, room), value=self.pad_id),
            "attention_mask": pad(torch.ones(length, dtype=torch.long), (0, room)),
            "position_ids": pad(result["position_ids"], (0, room)),
            "loss_mask": pad(mask, (0, room)),
        }


def without_nulls(value):
    """A message as it was before columns gave it every field of every other message."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


try:
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset

    class MessageRows(MultiTurnSFTDataset):
        """verl's own rendering and mask, on messages without nulls and with tools read from their JSON."""

        def _read_files_and_process(self):
            super()._read_files_and_process()
            self.messages = [without_nulls(messages) for messages in self.messages]
            self.dataframe = self.dataframe.reset_index(drop=True)
            self.dataframe[self.messages_key] = self.messages
            if self.tools is not None:
                self.tools = [json.loads(tools) if isinstance(tools, str) else None for tools in self.tools]

except ImportError:
    pass


def padded_batch(rows, pad_id):
    """Tensors of windows (export verl-rl) as verl's RL code has them: prompts padded left, responses right."""
    prompt = max(len(row["prompt_ids"]) for row in rows)
    response = max(len(row["response_ids"]) for row in rows)

    def left(values, fill):
        return [fill] * (prompt - len(values)) + list(values)

    def right(values, fill):
        return list(values) + [fill] * (response - len(values))

    prompts = torch.tensor([left(row["prompt_ids"], pad_id) for row in rows])
    responses = torch.tensor([right(row["response_ids"], pad_id) for row in rows])
    attention = torch.tensor(
        [left([1] * len(row["prompt_ids"]), 0) + right([1] * len(row["response_ids"]), 0) for row in rows]
    )
    mask = torch.tensor([right(row["response_mask"], 0) for row in rows])
    batch = {
        "prompts": prompts,
        "responses": responses,
        "input_ids": torch.cat([prompts, responses], dim=1),
        "attention_mask": attention,
        "position_ids": (attention.cumsum(dim=1) - 1).clamp(min=0),
        "response_mask": mask,
        "advantages": mask * torch.tensor([[row["reward"]] for row in rows]),
    }
    if all(row["rollout_log_probs"] is not None for row in rows):
        batch["rollout_log_probs"] = torch.tensor([right(row["rollout_log_probs"], 0.0) for row in rows])
    return batch
