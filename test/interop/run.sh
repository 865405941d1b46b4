#!/usr/bin/env bash
# Compares the package with the Python libraries of trainers:
#   bash test/interop/run.sh [--prepare] [SUITE]...       (default: templates core)
# templates: what the package makes of conversations, against transformers, Jinja2 and the templates of trl's wheel.
# core: every table and export of a corpus, read by datasets, pyarrow, pandas, polars, DuckDB and TRL.
# Every other suite is a trainer's own data path, exports/check_NAME.py, in a virtual environment of its own that is
# made from exports/requirements-NAME.txt; `all` stands for these. --prepare makes the environments and ends.
# The handed logs are read where TRAJMILL_SHARED or ../shared has them.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=test/interop

prepare=""
if [ "${1:-}" = "--prepare" ]; then
  prepare=1
  shift
fi
[ $# -gt 0 ] || set -- templates core
if [ "$*" = all ]; then
  # shellcheck disable=SC2046
  set -- $(cd "$here/exports" && ls requirements-*.txt | sed 's/^requirements-//; s/\.txt$//')
fi

# templates and core share one environment
pins_of() {
  case "$1" in
    templates | core) echo "$here/requirements.txt" ;;
    *) echo "$here/exports/requirements-$1.txt" ;;
  esac
}
venv_of() {
  case "$1" in
    templates | core) echo "${TRAJMILL_INTEROP_VENV:-.venv-interop}" ;;
    *) echo ".venv-exports/$1" ;;
  esac
}

# A finished environment is used again as long as the pins are the same. The files hold every package that is needed, so
# that none is resolved; only torch brings what the build for this machine asks for. Some packages ask for a Python that
# is newer than their data paths need.
make_venv() {
  local venv="$1" file="$2" pins base torch
  pins="$(cat "$here/requirements.txt" "$file" | sha256sum | cut -d ' ' -f 1)"
  [ "$(cat "$venv/pins" 2>/dev/null || true)" != "$pins" ] || return 0
  rm -rf "$venv"
  python3 -m venv "$venv"
  local pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
  base="$file"
  if grep -q '^-r ' "$file"; then base="$here/requirements.txt"; fi
  torch="$(grep '^torch==' "$base" || true)"
  if [ -n "$torch" ]; then "${pip[@]}" --constraint "$base" "$torch"; fi
  "${pip[@]}" --no-deps --ignore-requires-python --requirement "$file"
  echo "$pins" > "$venv/pins"
}

for suite in "$@"; do
  [ -f "$(pins_of "$suite")" ] || { echo "no suite $suite" >&2; exit 2; }
  make_venv "$(venv_of "$suite")" "$(pins_of "$suite")"
done
[ -z "$prepare" ] || exit 0

[ -n "${TRAJMILL_INTEROP_BUILT:-}" ] || npm run --silent build

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# transformers says in some environments that no model library is there; none is needed
export TRANSFORMERS_VERBOSITY=error TOKENIZERS_PARALLELISM=false
export HF_HUB_OFFLINE=1 HF_DATASETS_DISABLE_PROGRESS_BARS=1 HF_DATASETS_CACHE="$work/cache" HF_HOME="$work/hf"
export TRAJMILL_INTEROP_WORK="$work"
status=0
check() { "$(venv_of "$1")/bin/python" "$2" || { echo "FAILED: $1, $2"; status=1; }; }
for suite in "$@"; do
  [ "$suite" = templates ] || [ -d "$work/exports" ] || bash "$here/exports/write-exports.sh" "$work"
  case "$suite" in
    templates) check "$suite" "$here/check_interop.py" ;;
    core) for name in tables croissant exports schemas trl; do check "$suite" "$here/exports/check_$name.py"; done ;;
    *) check "$suite" "$here/exports/check_${suite//-/_}.py" ;;
  esac
done
exit "$status"
