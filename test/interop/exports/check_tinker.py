"""tinker-cookbook's own data path on exported rows: its file builder and its Qwen3 renderer, up to the datums.

A datum holds target tokens and weights: entry i of both speaks of token i+1. The file has no tools, so ids are compared
in conversations without; the trained tokens are compared in all.
"""

import logging

import tinker_cookbook.tokenizer_utils as tokenizers
from tinker_cookbook.renderers import TrainOnWhat
from tinker_cookbook.supervised.data import FromConversationFileBuilder
from tinker_cookbook.supervised.types import ChatDatasetBuilderCommonConfig

from common import EXPORTS, Checks, counted_difference, jsonl, mask_of, table, tokenizer

logging.disable(logging.WARNING)


def trained_pieces(ids, weights):
    """Runs of trained tokens."""
    pieces, last = [], False
    for token, weight in zip(ids, weights):
        if weight > 0 and not last:
            pieces.append([])
        if weight > 0:
            pieces[-1].append(token)
        last = weight > 0
    return pieces


def words_of(message):
    """What a trained message must at least hold."""
    return message["content"].split("</think>")[-1].strip()


def main():
    sft, made = table("sft"), tokenizer()
    tokenizers.register_tokenizer("corpus/tokenizer", lambda: made)
    path = EXPORTS / "tinker" / "train" / "data.jsonl"
    common = ChatDatasetBuilderCommonConfig(
        model_name_for_tokenizer="corpus/tokenizer",
        renderer_name="qwen3",
        max_length=None,
        batch_size=len(sft),
        train_on_what=TrainOnWhat.CUSTOMIZED,
    )
    dataset, _ = FromConversationFileBuilder(common_config=common, file_path=str(path), shuffle_seed=None)()
    checks = Checks()
    same = equal = turns = 0
    for number, (row, line, datum) in enumerate(zip(sft, jsonl(path), dataset.get_batch(0))):
        targets = datum.loss_fn_inputs["target_tokens"].tolist()
        weights = datum.loss_fn_inputs["weights"].tolist()
        said = [words_of(message) for message in line["messages"] if message["trainable"]]
        pieces = trained_pieces(targets, weights)
        checks.equal("trained turns", len(pieces), len(said))
        for piece, words in zip(pieces, said):
            checks.equal("words", words in made.decode(piece), True)
            checks.equal("stop token", piece.count(made.eos_token_id), piece[-1:].count(made.eos_token_id))
        turns += len(pieces)
        ours = trained_pieces(row["input_ids"], mask_of(row))
        equal += sum(one == other for one, other in zip(pieces, ours))
        # the newline behind the last stop token is not rendered here
        if targets == row["input_ids"][1:-1]:
            same += 1
            checks.equal("mask", [int(weight > 0) for weight in weights], mask_of(row)[1:-1])
            checks.equal("counted difference", counted_difference("tinker", number), [0, 0])
    checks.equal("conversations with our ids", same > 0, True)
    checks.report(
        f"tinker: {len(sft)} conversations, {same} with our ids and mask; "
        f"of {turns} trained turns {equal} have our trained tokens"
    )


main()
