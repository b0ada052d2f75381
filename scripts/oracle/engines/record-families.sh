#!/bin/sh
# Writes test/fixtures/tokenizer/families.jsonl.gz: small tokenizers of the families of published models, and what tokenizers, transformers 5.19 and
# SGLang make of texts with them. First a line for each family, with its files and texts, then
# one for each family and reader.
set -eu

cd "$(dirname "$0")/../../.."
sh scripts/oracle/engines/setup.sh
python=.cache/oracle/engines/venv/bin/python
work=$(mktemp -d)
$python scripts/oracle/engines/families.py README.md docs/how-the-pick-works.md >"$work/cases.jsonl"
for view in raw transformers5 sglang; do
  $python scripts/oracle/engines/tokenizing.py "$view" <"$work/cases.jsonl" | sed -e "s/\"token_ids\"/\"view\":\"$view\",\"token_ids\"/" >"$work/$view.jsonl"
done
cat "$work/cases.jsonl" "$work/raw.jsonl" "$work/transformers5.jsonl" "$work/sglang.jsonl" | gzip -9n >test/fixtures/tokenizer/families.jsonl.gz
rm -r "$work"
