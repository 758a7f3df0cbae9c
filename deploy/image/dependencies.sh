#!/bin/sh
# Installs the dependencies, Node included, into node_modules of the given folder (default: this project). Needs npm and Node 18 or later.
set -eu
cd "${1:-$(dirname "$0")/../..}"
node=$(sed -n '/"node_modules\/node": {/,/}/s/.*"version": "\([^"]*\)".*/\1/p' package-lock.json)
npx --yes --loglevel=error --package "node@$node" --package npm@11 -- \
  npm install --omit=dev --no-save --no-audit --no-fund --loglevel=error
node_modules/.bin/node --version
