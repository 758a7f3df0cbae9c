#!/bin/sh
# Installs what the service runs on, its Node included, into node_modules of the folder given (of this project, unless given). Needs npm and any Node from 18 on.
set -eu
cd "${1:-$(dirname "$0")/../..}"
node=$(sed -n '/"node_modules\/node": {/,/}/s/.*"version": "\([^"]*\)".*/\1/p' package-lock.json)
npx --yes --loglevel=error --package "node@$node" --package npm@11 -- \
  npm install --omit=dev --no-save --no-audit --no-fund --loglevel=error
node_modules/.bin/node --version
