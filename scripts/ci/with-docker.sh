#!/bin/bash
# with-docker.sh COMMAND...: runs COMMAND against a Docker daemon of its own that leaves nothing behind: private folders,
# own bridge, no firewall rules, stopped by its pid however COMMAND ends. Without root, the Docker that answers is used.
set -euo pipefail

# testcontainers: its reaper is an image that we do not have; inside a container it would take the bridge for the host.
export TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1

if [ "$(id -u)" != 0 ]; then
  docker version --format 'using Docker {{.Server.Version}}' || { echo "with-docker: not root, and no Docker answers" >&2; exit 1; }
  exec "$@"
fi

# The docker client may be there without the daemon.
if ! command -v dockerd >/dev/null; then
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends docker.io iproute2
fi

work=$(mktemp -d -t pmXXXXXX) # short: a socket's path has at most 108 bytes
export DOCKER_HOST=unix://$work/docker.sock
# Names and numbers of the daemon's own, so that two runs on one machine do not meet.
number=$((($$ % 200) + 20))
bridge=pmci$number

stop() {
  local pid
  if [ -f "$work/dockerd.pid" ]; then
    pid=$(cat "$work/dockerd.pid")
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 300); do kill -0 "$pid" 2>/dev/null || break; sleep .05; done
  fi
  umount "$work"/exec/netns/* 2>/dev/null || true
  ip link del "$bridge" 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ip link add "$bridge" type bridge
ip addr add "172.31.$number.1/24" dev "$bridge"
ip link set "$bridge" up
dockerd --host "$DOCKER_HOST" --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/dockerd.pid" \
  --ip 127.0.0.1 --bridge "$bridge" --iptables=false --ip6tables=false >"$work/dockerd.log" 2>&1 </dev/null &
for _ in $(seq 300); do docker version >/dev/null 2>&1 && break; sleep .1; done
docker version --format 'started Docker {{.Server.Version}}' || { cat "$work/dockerd.log" >&2; exit 1; }

"$@"
