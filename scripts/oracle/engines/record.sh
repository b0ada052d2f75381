#!/bin/sh
# Writes test/fixtures/parity/engines.jsonl.gz: the answers of both engines' servers to the recorded cases. usage: record.sh MODEL...
set -eu

cd "$(dirname "$0")/../../.."
sh scripts/oracle/engines/setup.sh
fixtures=test/fixtures/parity
# A prompt with the date in it is not of this day tomorrow.
isDated() { grep -qs strftime_now ".cache/models/$1/chat_template.jinja" ".cache/models/$1/tokenizer_config.json"; }
for model in "$@"; do
  if isDated "$model"; then wanted=completions/; else wanted=; fi
  for engine in vllm sglang; do
    .cache/oracle/engines/venv/bin/python scripts/oracle/engines/answer.py "$engine" ".cache/models/$model" <"$fixtures/cases.jsonl" |
      grep "^{\"name\":\"$wanted" |
      sed -e 's/,"error".*/}/' -e "s/\"token_ids\"/\"model\":\"$model\",\"profile\":\"$engine\",\"token_ids\"/"
  done
done | gzip -9n >"$fixtures/engines.jsonl.gz.new"
mv "$fixtures/engines.jsonl.gz.new" "$fixtures/engines.jsonl.gz"
