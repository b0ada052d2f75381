#!/bin/sh
# Installs what vLLM's and SGLang's servers need to turn a request into tokens, and the Python files of their releases, from PyPI into
# .cache/oracle/engines: what our token ids for these engines are compared with. No GPU, no root. Does nothing when it is there already.
set -eu

# Other releases, by the same names: ENGINES="vllm==0.30.0 sglang==0.5.22".
engines="${ENGINES:-vllm==0.33.0 sglang==0.5.23}"
harmony_vllm=oss-harmony==0.0.11
harmony_sglang=openai-harmony==0.0.4

cd "$(dirname "$0")/../../.."
home=.cache/oracle/engines
requirements=scripts/oracle/engines/requirements.txt
stamp=$home/installed-set
wanted="$engines $harmony_vllm $harmony_sglang $(grep -v '^#' $requirements | tr '\n' ' ')"

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then exit 0; fi
[ "$(uname -s)" = Linux ] || { echo "engines: the wheels are of Linux, this is $(uname -s)" >&2; exit 1; }

rm -rf "$home"
mkdir -p "$home/wheels"
python3 -m venv "$home/venv"
"$home/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
# shellcheck disable=SC2086 # the list is split on purpose
"$home/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$home/wheels" $engines
for engine in vllm sglang; do
  "$home/venv/bin/python" scripts/oracle/engines/unpack.py "$home/wheels/$engine"-*.whl "$home/$engine"
done
# Each pins another Harmony library, of the same module name. The first of these holds for both engines where no model needs one.
"$home/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$home/harmony-vllm" "$harmony_vllm"
"$home/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$home/harmony-sglang" "$harmony_sglang"
rm -rf "$home/wheels"
printf '%s' "$wanted" >"$stamp"
