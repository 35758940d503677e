#!/usr/bin/env bash
# Installs the clients that tests/clients drives into one folder, and nothing anywhere else: install.sh DIR
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: install.sh DIR" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cp "$(dirname "$0")/package.json" "$folder/package.json"
cd "$folder"
npm install --cache "$folder/.npm" --no-audit --no-fund --no-update-notifier --loglevel error
export PATH="$folder/node_modules/.bin:$PATH"
for client in node claude gemini; do
  echo "$client $("$client" --version)"
done
