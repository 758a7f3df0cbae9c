#!/bin/sh
# Builds the dashboard in the given folder (default: this project), with the packages that only the build needs.
set -eu
cd "${1:-$(dirname "$0")/../..}"
node=$(sed -n '/"node_modules\/node": {/,/}/s/.*"version": "\([^"]*\)".*/\1/p' package-lock.json)
npx --yes --loglevel=error --package "node@$node" --package npm@11 -- \
  npm install --no-save --no-audit --no-fund --loglevel=error
node_modules/.bin/node scripts/setup/dashboard.mjs
