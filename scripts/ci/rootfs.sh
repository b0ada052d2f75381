#!/bin/bash
# rootfs.sh BINARY PATH_IN_ROOT OUT_DIR: the smallest root folder in which BINARY runs: it, its libraries, a few files.
set -euo pipefail
binary=$1 destination=$2 out=$3

rm -rf "$out"
mkdir -p "$out"/{bin,etc,tmp,dev,proc,sys,data}
chmod 1777 "$out/tmp"
install -D -m755 "$binary" "$out$destination"
ldd "$binary" | grep -oE '/[^ )]+\.so[^ )]*' | sort -u | while read -r library; do
  install -D -m755 "$(readlink -f "$library")" "$out$library"
done
echo 'root:x:0:0::/:' >"$out/etc/passwd"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$out/etc/hosts"
