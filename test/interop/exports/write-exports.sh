#!/usr/bin/env bash
# Runs the sample logs and writes what the checks read:
#   bash write-exports.sh WORK
# WORK/run is the run, WORK/dump every row as the package reads it, WORK/differences.json what the exports of messages
# count, WORK/exports a folder for each export.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
work="$1"
main="$here/../../../dist/cli/main.js"

quietly() { "$@" > "$work/last.log" 2>&1 || { cat "$work/last.log"; exit 1; }; }
to() {
  local name="$1" folder="$2"
  shift 2
  quietly node "$main" export "$work/run" --to "$name" --out "$work/exports/$folder" "$@"
}

quietly node "$main" run "$here/pipeline.yaml" --out "$work/run"
node "$here/dump-corpus.mjs" "$work/run/corpus" "$work/dump"
node "$here/dump-differences.mjs" "$work/run" "$work/differences.json"
for name in trl axolotl skyrl areal olmo-core llama-factory verl-tokens trl-messages verl ms-swift slime prime-rl \
  nemo-rl tinker llama-factory-sharegpt; do
  to "$name" "$name"
done
to megatron-bridge megatron-bridge --pack 8192
to olmo-core olmo-core-eos --eos-token 151643
to trl trl-packed --pack 6000
for name in slime-samples areal-rl prime-rl-samples rllm verl-rl expanded; do
  to "$name" "$name" --offline-policy
done
