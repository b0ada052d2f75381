#!/bin/sh
# Fetches 70 real chat templates into .cache/templates: test data that carries its models' licences and is therefore not kept here.
# They come in the source package of llama-cpp-python 0.3.36 on PyPI. Does nothing when they are there. Needs python3 with pip, or venv.
set -eu
cd "$(dirname "$0")/.."
target=.cache/templates
[ -d "$target" ] && exit 0
mkdir -p .cache
work=$(mktemp -d .cache/templates-XXXXXX)
trap 'rm -rf "$work"' EXIT
if python3 -m pip --version >/dev/null 2>&1; then
  python=python3
else
  python3 -m venv "$work/venv"
  python=$work/venv/bin/python
fi
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary llama-cpp-python \
  -d "$work" llama-cpp-python==0.3.36
mkdir "$work/templates"
tar -xzf "$work/llama_cpp_python-0.3.36.tar.gz" -C "$work/templates" --strip-components=5 --wildcards \
  '*/vendor/llama.cpp/models/templates/*.jinja'
mv "$work/templates" "$target"
