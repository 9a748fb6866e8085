#!/usr/bin/env bash
# The backend, linked with the real libraries, starts; without a device it says so, and exits with 2.
set -euo pipefail

code=0
output=$("$1" --list) || code=$?
echo "exit code $code: $output"
case $code in
  0) [[ $output =~ ^[0-9]+\ devices?$ ]] ;; # a machine with a GPU
  2) [[ $output == "no CUDA device: "* ]] ;;
  *) false ;;
esac
