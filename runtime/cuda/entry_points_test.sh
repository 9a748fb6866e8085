#!/usr/bin/env bash
# The stand-in has the entry points of CUDA, cuBLAS and NCCL that the backend calls, and no others.
set -euo pipefail

entry_points() {
  grep -E '^(__cuda|cuda|cublas|nccl)[A-Za-z0-9_]*$' "$1" | sort -u
}

wanted=$(entry_points "$1")
offered=$(entry_points "$2")
if ! diff <(echo "$wanted") <(echo "$offered"); then
  echo "'<': the backend calls it, and the stand-in lacks it; '>': the stand-in has it for nothing"
  exit 1
fi
echo "$(wc -l <<<"$wanted") entry points:"
echo "$wanted"
