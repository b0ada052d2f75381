# Every command runs on the Node that package.json pins (node_modules/.bin/node); only npm itself uses the machine's own.
SHELL := /bin/sh
PINNED := PATH="$(CURDIR)/node_modules/.bin:$$PATH"
INSTALLED := node_modules/.package-lock.json

.PHONY: demo test test-e2e test-browser test-live test-kubernetes fuzz check soak bench build venv kubernetes-tools install clean distclean

# Starts a real Envoy, the picker and four simulated workers, sends requests and prints what was picked and why.
demo: build venv
	@$(PINNED) node scripts/demo/main.ts

# Ends with the line "N passed, N failed".
test: build venv kubernetes-tools
	@$(PINNED) node scripts/testing/run.ts unit contract fuzz parity manifests e2e

test-e2e: build venv kubernetes-tools
	@$(PINNED) node scripts/testing/run.ts e2e

# The console's page in a real Chromium, which has to be there (Debian: apt-get install chromium), or be named by CHROMIUM.
test-browser: build
	@$(PINNED) node scripts/testing/run.ts browser

# With a real Dynamo frontend, which scripts/oracle/setup.sh installs first (about 90 s): a whole gateway, real templates, random bodies.
# The bodies' seed is fixed, so that a failure is one of the change; `npm run parity:live` takes another one each time.
test-live: build venv
	@$(PINNED) node scripts/testing/run.ts live; code=$$?; \
	$(PINNED) node test/live/parity/run.ts --seed 1 --bodies 500 --outcome parity-live || code=1; \
	exit $$code

# With a real kube-apiserver and etcd, which scripts/kubernetes/setup.sh builds first from their Go modules (about 10 minutes, once).
test-kubernetes: build venv kubernetes-tools
	@scripts/kubernetes/setup.sh >/dev/null
	@$(PINNED) node scripts/testing/run.ts kubernetes

# Random cases from a seed of the hour, a minute for each target; FUZZ="--target json --seconds 600 --seed 7" says otherwise.
fuzz: $(INSTALLED)
	@$(PINNED) node test/fuzz/run.ts $(FUZZ)

# Everything at once under a mixed load, and whether memory stays flat; then every part is taken away under load and given back (docs/testing.md).
# Writes test-results/soak/. MINUTES=3 STEPS=5 for a short one; under 3 minutes memory is only reported.
MINUTES ?= 30
STEPS ?= 42
soak: build venv
	@$(PINNED) node test/soak/main.ts $(MINUTES)
	@$(PINNED) node test/soak/restarts/main.ts $(STEPS)

check: $(INSTALLED)
	@$(PINNED) npm run --silent check

# Every figure that the README claims is a bench.
bench: build venv
	@$(PINNED) scripts/bench.sh

build: $(INSTALLED)
	@$(PINNED) npm run --silent build

venv:
	@scripts/setup-venv.sh

# kubectl and Helm, with which the tests build and render k8s/ and run the manual's commands.
kubernetes-tools: venv
	@scripts/setup-kubernetes-tools.sh

install: $(INSTALLED)

# npm writes this file last; it is older than the lock after a pull that changed the lock.
$(INSTALLED): package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

clean:
	rm -rf dist coverage test-results .cache

distclean: clean
	rm -rf node_modules .venv
