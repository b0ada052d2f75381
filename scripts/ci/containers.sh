#!/bin/bash
# containers.sh: images, then the container suite. Run it by with-docker.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash scripts/ci/images.sh
node scripts/testing/run.ts containers
