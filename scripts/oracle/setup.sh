#!/bin/sh
# Installs the released Dynamo frontend, and transformers, from PyPI into .cache/oracle/venv: what our token ids are compared with.
# No GPU, no etcd, no NATS. Usage: setup.sh [VENV_FOLDER]. Does nothing when the pinned set is there already; of several that start at
# the same time one installs, and the others wait for it.
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

installed() {
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$venv/bin/python" -c "import dynamo.llm" 2>/dev/null
}

if installed; then exit 0; fi
[ "$(uname -s)" = Linux ] || fail "the Dynamo wheels are Linux binaries, this is $(uname -s)"
python=$(command -v python3) || fail "python3 (3.10 or newer) is needed to run the Dynamo frontend"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "python3 must be 3.10 or newer"
mkdir -p "$(dirname "$venv")"

# The lock is a file that this process keeps open; it is free again however the process ends.
if [ "${ORACLE_SETUP_LOCKED:-}" != "$venv" ]; then
  exec "$python" -c '
import fcntl, os, sys
lock, venv, script = sys.argv[1:]
file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
fcntl.flock(file, fcntl.LOCK_EX)
os.set_inheritable(file, True)
os.environ["ORACLE_SETUP_LOCKED"] = venv
os.execv("/bin/sh", ["sh", script, venv])
' "$venv.lock" "$venv" scripts/oracle/setup.sh
fi
# Whoever waited finds it done.
if installed; then exit 0; fi

rm -rf "$venv"
if ! "$python" -m venv "$venv" 2>/dev/null; then
  # Debian splits venv's pip off; one from the machine does as well.
  "$python" -m venv --clear --without-pip "$venv" || fail "python3 has no venv module (Debian, Ubuntu: apt-get install python3-venv)"
fi
pip() {
  if [ -x "$venv/bin/pip" ]; then "$venv/bin/pip" "$@"; else "$python" -m pip --python "$venv/bin/python" "$@"; fi
}
# Dynamo's own requirements bring a simulator that a frontend does not import.
pip install --quiet --disable-pip-version-check --requirement "$requirements" || fail "pip could not install $requirements"
# shellcheck disable=SC2086 # the list is split on purpose
pip install --quiet --disable-pip-version-check --no-deps $dynamo || fail "pip could not install $dynamo"
"$venv/bin/python" -c "import dynamo.llm" || fail "the Dynamo runtime does not load on this machine"
printf '%s' "$wanted" >"$stamp"
