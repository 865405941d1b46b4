"""axolotl's own data path on exported rows: its loader, wrapper, filters, position ids and multipack collator."""

from axolotl.utils.collators.batching import BatchSamplerDataCollatorForSeq2Seq
from axolotl.utils.data.shared import load_dataset_with_config
from axolotl.utils.data.wrappers import get_dataset_wrapper
from axolotl.utils.dict import DictDefault
from axolotl.utils.trainer import process_datasets_for_packing

from common import EXPORTS, Checks, labels_of, table, tokenizer


def main():
    sft, made = table("sft"), tokenizer()
    source = DictDefault({"path": str(EXPORTS / "axolotl" / "train"), "ds_type": "parquet", "type": None})
    cfg = DictDefault({"sequence_len": 100_000, "sample_packing": True, "dataset_num_proc": 1, "datasets": [source]})
    loaded = load_dataset_with_config(source, use_auth_token=False)
    loaded = loaded["train"] if hasattr(loaded, "keys") else loaded
    wrapped, _ = get_dataset_wrapper(source, made, cfg, None, loaded)
    rows, _ = process_datasets_for_packing(cfg, wrapped, None)
    checks = Checks()
    checks.equal("axolotl rows", len(rows), len(sft))
    collate = BatchSamplerDataCollatorForSeq2Seq(tokenizer=made, label_pad_token_id=-100)
    for start in range(0, len(sft), 3):
        chosen = sft[start : start + 3]
        keys = ("input_ids", "attention_mask", "labels", "position_ids")
        features = [{key: rows[start + i][key] for key in keys} for i in range(len(chosen))]
        batch = collate([features], return_tensors="pt")
        ids = [token for row in chosen for token in row["input_ids"]]
        checks.equal("axolotl ids", batch["input_ids"][0], ids)
        checks.equal("axolotl labels", batch["labels"][0], [label for row in chosen for label in labels_of(row)])
        positions = [i for row in chosen for i in range(len(row["input_ids"]))]
        checks.equal("axolotl positions", batch["position_ids"][0], positions)
    checks.report("axolotl, loader, packing and collator")


main()
