#!/bin/bash
# rootfs.sh OUT_DIR BINARY PATH_IN_ROOT [BINARY PATH_IN_ROOT]...: the smallest root folder in which the binaries run: they, their libraries, a
# few files.
set -euo pipefail
out=$1
shift

rm -rf "$out"
mkdir -p "$out"/{bin,etc,tmp,dev,proc,sys,data,root}
chmod 1777 "$out/tmp"
while [ $# -gt 0 ]; do
  install -D -m755 "$1" "$out$2"
  { ldd "$1" || true; } | grep -oE '/[^ )]+\.so[^ )]*' | sort -u | while read -r library; do
    install -D -m755 "$(readlink -f "$library")" "$out$library"
  done
  shift 2
done
printf 'root:x:0:0::/root:\nnonroot:x:65532:65532::/tmp:\n' >"$out/etc/passwd"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$out/etc/hosts"
