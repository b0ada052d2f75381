#!/bin/sh
# Builds a real kube-apiserver and etcd from their Go modules, for `make test-kubernetes`, and takes the CRDs of the inference extension
# from its module. About 10 minutes on two cores, once; what was built stays outside of this folder, at
# ${POINTSMAN_KUBERNETES:-~/.cache/pointsman/kubernetes-...}, which is the last line that this prints.
# The versions are those of go.mod and the one below.
set -eu

extension="sigs.k8s.io/gateway-api-inference-extension@v1.5.0"
extension_sum="h1:w9Awt60cmI1vM7Y6N81h8wDCBP0WkmxpdI7GKY0v070="

cd "$(dirname "$0")"
version=$(cat go.mod go.sum setup.sh | cksum | cut -d' ' -f1)
folder=${POINTSMAN_KUBERNETES:-${XDG_CACHE_HOME:-$HOME/.cache}/pointsman/kubernetes-$version}

fail() {
  echo "kubernetes: $*" >&2
  exit 1
}

if [ -f "$folder/complete" ]; then
  echo "$folder"
  exit 0
fi
command -v go >/dev/null || fail "go (1.24 or newer) is needed to build kube-apiserver and etcd"
mkdir -p "$folder/crds"

# The lock is a file that this process keeps open; it is free again however the process ends.
exec 9>"$folder/lock"
flock 9
if [ -f "$folder/complete" ]; then
  echo "$folder"
  exit 0
fi

echo "kubernetes: the API server and etcd are built into $folder; this takes minutes" >&2
build() {
  nice -n 15 go build -buildvcs=false -trimpath -ldflags "-s -w $3" -o "$folder/$1" "$2" >&2
}
release=$(sed -n 's|.*k8s.io/kubernetes \(v[0-9.]*\).*|\1|p' go.mod)
[ -n "$release" ] || fail "go.mod names no release of k8s.io/kubernetes"
build etcd go.etcd.io/etcd/server/v3 ""
# Without it the server takes itself for v0.0.0, and refuses its own feature gates.
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver "-X k8s.io/component-base/version.gitVersion=$release"

module=$(go mod download -json "$extension") || fail "$extension is not to be had"
[ "$(echo "$module" | sed -n 's/.*"Sum": "\(.*\)".*/\1/p')" = "$extension_sum" ] || fail "$extension is not the one that was looked at"
bases=$(echo "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/config/crd/bases
for kind in inference.networking.k8s.io_inferencepools inference.networking.x-k8s.io_inferenceobjectives \
  inference.networking.x-k8s.io_inferencemodelrewrites; do
  cat "$bases/$kind.yaml" >"$folder/crds/$kind.yaml"
  # The same kinds moved to a group of their own.
  case $kind in
    inference.networking.x-k8s.io_*)
      sed 's/inference\.networking\.x-k8s\.io/llm-d.ai/g' "$bases/$kind.yaml" >"$folder/crds/llm-d.ai_${kind#*_}.yaml"
      ;;
  esac
done
touch "$folder/complete"
echo "$folder"
