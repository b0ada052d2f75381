#!/bin/sh
# Runs every bench: bench/NAME.ts, bench/NAME/main.ts, or each file of a folder without a main.ts.
set -eu
cd "$(dirname "$0")/.."
for bench in bench/*.ts bench/*/main.ts bench/*/*.ts; do
  case $bench in
    bench/*/main.ts) ;;
    bench/*/*) [ ! -e "$(dirname "$bench")/main.ts" ] || continue ;;
  esac
  [ -e "$bench" ] || continue
  echo "== $bench"
  node "$bench"
done
