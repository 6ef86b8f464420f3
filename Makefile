# Each target is the only command needed on a fresh machine that has Node.js with npm, and Go to build the control plane.
.DEFAULT_GOAL := help
.PHONY: help install demo test fuzz check generate build bench clean

help: ## Show what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

node_modules/.package-lock.json: package.json package-lock.json
	npm ci
	@touch $@

install: node_modules/.package-lock.json ## Install the packages of the lockfile

demo: install ## Bring up a real control plane with sample flags and the operator; Ctrl-C stops it all
	@exec node_modules/.bin/node test/demo/main.ts

test: install ## Run all tests, against a real control plane (FLAGS='--project unit' for some)
	npm test -- $(FLAGS)

fuzz: install ## Send requests that nobody thought of, made from the API document (MINUTES=10, FUZZ_SEED=… to begin with)
	@exec node_modules/.bin/node test/fuzz/main.ts $(if $(MINUTES),--minutes $(MINUTES)) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED)) $(if $(FUZZ_PATH),--path $(FUZZ_PATH))

check: install ## Format, lint, types, architecture, generated files
	npm run check

generate: install ## Write CRDs, editor schemas and reference pages from src/schema
	npm run generate

build: install ## Make the operator one file of JavaScript, dist/main.js
	npm run build

bench: install ## Measure against bare Express, the raw API server and a controller in Go
	@npm run --silent bench

clean: ## Remove what was installed or built here
	rm -rf node_modules .cache dist
