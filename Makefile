# Each target is the only command needed on a fresh machine that has Node.js with npm, and Go to build the control plane.
.DEFAULT_GOAL := help
.PHONY: help install demo demo-time screenshots test e2e compat fuzz simulate soak check advisories generate build site package image image-layout image-base release bench clean

help: ## Show the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --loglevel=error
	@touch $@

install: node_modules/.package-lock.json ## Install the packages of the lockfile

# Printed before npm ci, which is quiet for a while.
demo-time:
	@if test -d .cache/control-plane && test -e node_modules/.package-lock.json; \
	then echo 'The demo starts within half a minute.'; \
	else echo 'First start: npm ci installs packages (about a minute). Then kube-apiserver, etcd and kubectl are downloaded,'; \
	  echo 'or built with Go (about five minutes). Later starts take less than half a minute.'; fi

demo: demo-time install ## Bring up a real control plane with sample flags and the operator; Ctrl-C stops it all
	@exec node_modules/.bin/node test/demo/main.ts

screenshots: install ## Take the screenshots of the README again, from the demo
	@exec node_modules/.bin/node test/demo/screenshots.ts

test: install ## Run the tests, against a real control plane (FLAGS='--project unit' for some)
	npm test -- $(FLAGS)

e2e: install ## Run the tests of image and chart in a cluster that runs pods: kind, or scripts (VEXIL_E2E_CLUSTER=FOLDER)
	@exec node_modules/.bin/node test/e2e/main.ts $(FLAGS)

compat: install ## Run the tests that depend on the API server against Kubernetes 1.33 to 1.37 (VERSIONS='1.33 1.37' for some)
	@exec node_modules/.bin/node test/compat/main.ts $(VERSIONS)

fuzz: install ## Send requests generated from the API document (MINUTES=10, FUZZ_SEED=… for the first seed)
	@exec node_modules/.bin/node test/fuzz/main.ts $(if $(MINUTES),--minutes $(MINUTES)) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED)) $(if $(FUZZ_PATH),--path $(FUZZ_PATH))

simulate: install ## Run simulated worlds, each with its own order of events and faults (SEED=1, SEEDS=1000)
	@exec node_modules/.bin/node test/simulation/main.ts $(if $(SEED),--first $(SEED)) --count $(or $(SEEDS),1000)

soak: install ## Run the tests that take minutes, and the tests of the test tools (SOAK_SECONDS=600, SOAK_RATE=10, SOAK_OBJECTS=…, FUZZ_CASES=…, HISTORY_SEEDS=1-9)
	npm run --silent soak -- $(FLAGS)

check: install ## Format, lint, types, architecture, generated files
	npm run check

advisories: install ## Ask the registry for known vulnerabilities of the packages in the lockfile
	@exec node_modules/.bin/node scripts/advisories.ts

generate: install ## Write CRDs, editor schemas and reference pages from src/schema
	npm run generate

build: install ## Build dist/, the content of the image; the operator is one file of JavaScript
	npm run build

site: install ## Build the documentation as a static site in dist/site (REPOSITORY=https://… for links to its files)
	@node_modules/.bin/node site/main.ts $(if $(REPOSITORY),--repository $(REPOSITORY))

package: build ## Build the files that a release publishes with the image, in dist/release (TAG=v1.2.3 checks the version, IMAGE=NAME@sha256:… for the charts)
	@node_modules/.bin/node scripts/package.ts $(if $(TAG),--tag $(TAG)) $(if $(IMAGE),--image $(IMAGE))

# Without ENGINE, the first engine that answers builds the Dockerfile. If there is none, or with ENGINE=none, scripts/image makes
# the same image from files. Layers have the time of the last commit, so that the same sources make the same image.
image: VERSION = $(shell node --print "require('./package.json').version")
image: REVISION = $(shell git rev-parse HEAD)
image: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
image: ENGINE ?= $(or $(shell for engine in docker podman; do $$engine info >/dev/null 2>&1 && echo $$engine && break; done),none)
image: ## Build the container image: vexil:VERSION (ENGINE=podman, IMAGE=registry/vexil:1), or without an engine dist/image (ENGINE=none)
	@if test "$(ENGINE)" = none; then $(MAKE) --no-print-directory image-layout; else \
	  $(ENGINE) build --tag $(or $(IMAGE),vexil:$(VERSION)) --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) \
	  --build-arg SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) $(foreach base,BUILD_IMAGE RUN_IMAGE,$(if $($(base)),--build-arg $(base)=$($(base)))) .; fi

image-layout: export REVISION = $(shell git rev-parse HEAD)
image-layout: build
	@node_modules/.bin/node scripts/image/main.ts

image-base: install ## Pin the present versions of the Debian packages of the image (DEBIAN_SOURCES='deb … bookworm main' for other sources)
	@node_modules/.bin/node scripts/image/update-base.ts

release: export REVISION = $(shell git rev-parse HEAD)
release: build ## Make a release, and print what it would publish: VERSION=1.2.3 REGISTRY=registry.example.com/team (PUBLISH=yes pushes and signs, KEY=cosign.key)
	@node_modules/.bin/node scripts/release/main.ts --version '$(VERSION)' --registry '$(REGISTRY)' --publish '$(or $(PUBLISH),no)' $(if $(KEY),--key '$(KEY)')

bench: install ## Measure against bare Express, the raw API server and a controller in Go
	@npm run --silent bench

clean: ## Remove what was installed or built here
	rm -rf node_modules .cache dist
