"""OLMo-core's own data path on exported rows: its packed dataset, collator and labels."""

import glob

from olmo_core.data import DataCollator, NumpyPackedFSLDatasetConfig, TokenizerConfig
from olmo_core.data.utils import get_labels

from common import EXPORTS, WORK, Checks, mask_of, table

# <|endoftext|>, which write-exports.sh puts after each row
EOS = 151643
IGNORED = -100


def files(pattern):
    return sorted(glob.glob(str(EXPORTS / "olmo-core-eos" / "train" / pattern)))


def main():
    sft = table("sft")
    tokenizer = TokenizerConfig(vocab_size=151936, eos_token_id=EOS, pad_token_id=EOS)
    config = NumpyPackedFSLDatasetConfig(
        paths=files("token_ids_part_*.npy"),
        label_mask_paths=files("labels_mask_part_*.npy"),
        sequence_length=8192,
        tokenizer=tokenizer,
        generate_doc_lengths=True,
        work_dir=str(WORK / "olmo"),
    )
    dataset = config.build()
    dataset.prepare()
    batch = DataCollator(pad_token_id=EOS)([dataset[i] for i in range(len(dataset))])
    labels = get_labels(batch, label_ignore_index=IGNORED)
    by_ids = {tuple(row["input_ids"]): row for row in sft}
    checks = Checks()
    seen = 0
    for ids, wanted, lengths in zip(batch["input_ids"], labels, batch["doc_lens"]):
        start = 0
        for length in lengths.tolist():
            document = ids[start : start + length].tolist()
            row = by_ids.get(tuple(document[:-1])) if length > 1 else None
            if row is not None:
                # label i is token i+1 of the document
                trained = [t if bit else IGNORED for t, bit in zip(row["input_ids"], mask_of(row))]
                checks.equal("labels", wanted[start : start + length], [*trained[1:], IGNORED, IGNORED])
                seen += 1
            start += length
    checks.equal("olmo-core documents", seen, len(sft))
    trained = int((labels != IGNORED).sum())
    checks.equal("olmo-core trained tokens", trained, sum(sum(mask_of(row)) for row in sft))
    checks.report(f"olmo-core, packed dataset: {len(dataset)} packs, {seen} documents, {trained} trained tokens")



main()
