#!/bin/sh
# Installs the released Dynamo frontend, and transformers, from PyPI into .cache/oracle/venv: what our token ids are compared with.
# No GPU, no etcd, no NATS. Usage: setup.sh [VENV_FOLDER]. Does nothing when the pinned set is there already.
set -eu

dynamo="ai-dynamo==1.6.1 ai-dynamo-runtime==1.6.1"

cd "$(dirname "$0")/../.."
venv=${1:-.cache/oracle/venv}
requirements=scripts/oracle/requirements.txt
stamp=$venv/installed-set
wanted="$dynamo $(grep -v '^#' $requirements | tr '\n' ' ')"

fail() {
  echo "oracle: $*" >&2
  exit 1
}

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$venv/bin/python" -c "import dynamo.llm" 2>/dev/null; then
  exit 0
fi
[ "$(uname -s)" = Linux ] || fail "the Dynamo wheels are Linux binaries, this is $(uname -s)"
python=$(command -v python3) || fail "python3 (3.10 or newer) is needed to run the Dynamo frontend"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "python3 must be 3.10 or newer"

rm -rf "$venv"
mkdir -p "$(dirname "$venv")"
if ! "$python" -m venv "$venv" 2>/dev/null; then
  # Debian splits venv's pip off; one from the machine does as well.
  "$python" -m venv --clear --without-pip "$venv" || fail "python3 has no venv module (Debian, Ubuntu: apt-get install python3-venv)"
fi
pip() {
  if [ -x "$venv/bin/pip" ]; then "$venv/bin/pip" "$@"; else "$python" -m pip --python "$venv/bin/python" "$@"; fi
}
# Dynamo's own requirements bring a simulator that a frontend does not import.
pip install --quiet --disable-pip-version-check --requirement "$requirements"
# shellcheck disable=SC2086 # the list is split on purpose
pip install --quiet --disable-pip-version-check --no-deps $dynamo
"$venv/bin/python" -c "import dynamo.llm" || fail "the Dynamo runtime does not load on this machine"
printf '%s' "$wanted" >"$stamp"
