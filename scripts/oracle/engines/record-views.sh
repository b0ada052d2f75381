#!/bin/sh
# Writes test/fixtures/parity/tokenizer-views.jsonl.gz: the tokens of small models by the loading of transformers and of SGLang.
set -eu

cd "$(dirname "$0")/../../.."
sh scripts/oracle/setup.sh
sh scripts/oracle/engines/setup.sh
record() {
  node test/parity/tokenizer-view-cases.ts | "$1" scripts/oracle/engines/tokenizing.py "$2" | sed -e "s/\"token_ids\"/\"view\":\"$2\",\"token_ids\"/"
}
fixture=test/fixtures/parity/tokenizer-views.jsonl.gz
{
  record .cache/oracle/venv/bin/python transformers5
  record .cache/oracle/engines/venv/bin/python sglang
} | gzip -9n >"$fixture.new"
mv "$fixture.new" "$fixture"
