#!/bin/bash
# with-chromium.sh COMMAND...: runs COMMAND where a Chromium is there for the browser's tests. Where none is, root installs
# Debian's; without root it fails and says so, for a suite that does not run is a suite that failed.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! node test/browser/support/chromium-path.ts >/dev/null 2>&1; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "with-chromium: no Chromium here, and it cannot be installed (that needs root and apt-get)" >&2
    exit 1
  fi
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium
fi

echo "with-chromium: using $(node test/browser/support/chromium-path.ts)"
exec "$@"
