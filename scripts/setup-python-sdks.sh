#!/bin/sh
# Installs the Python clients of the typed decisions, and a conformance suite, into a virtual environment of their own.
# Usage: setup-python-sdks.sh [FOLDER]. Does nothing when the pinned set is there already.
set -eu

packages="openai==3.26.0 typesafe-sdk==0.7.2 jevcompat==0.1.1"

cd "$(dirname "$0")/.."
venv=${1:-.cache/python-sdks}
stamp=$venv/installed-packages

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$packages" ]; then
  exit 0
fi
command -v python3 >/dev/null || {
  echo "setup-python-sdks: python3 is needed" >&2
  exit 1
}
rm -rf "$venv"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
python3 -m venv "$venv" >"$log" 2>&1 || {
  cat "$log" >&2
  echo "setup-python-sdks: python3 has no working venv module (Debian, Ubuntu: apt-get install python3-venv)" >&2
  exit 1
}
# shellcheck disable=SC2086 # the list is split on purpose
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check $packages
printf '%s\n' "$packages" >"$stamp"
