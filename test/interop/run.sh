#!/usr/bin/env bash
# Compares the package with transformers, tokenizers, Jinja2 and the templates of trl's wheel, in an environment of
# its own:
#   bash test/interop/run.sh [--venv DIR] [--prepare | options of check_interop.py]
# --prepare makes the environment and ends.
# The handed logs are read where TRAJMILL_SHARED or ../shared has them. Ends with one line of counts.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv="${TRAJMILL_INTEROP_VENV:-.venv-interop}"
if [ "${1:-}" = "--venv" ]; then
  venv="$2"
  shift 2
fi

# A finished environment is used again as long as the pins are the same.
pins="$(sha256sum test/interop/requirements.txt test/interop/requirements-trl.txt | sha256sum | cut -d ' ' -f 1)"
if [ "$(cat "$venv/pins" 2>/dev/null || true)" != "$pins" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps)
  "${pip[@]}" -r test/interop/requirements.txt
  "${pip[@]}" -r test/interop/requirements-trl.txt
  echo "$pins" > "$venv/pins"
fi

if [ "${1:-}" = "--prepare" ]; then
  exit 0
fi

[ -n "${TRAJMILL_INTEROP_BUILT:-}" ] || npm run --silent build

# transformers says that no model library is there; none is needed.
TRANSFORMERS_VERBOSITY=error HF_HUB_OFFLINE=1 exec "$venv/bin/python" test/interop/check_interop.py "$@"
