#!/usr/bin/env bash
# Says in its log what of the cuda backend was built.
set -euo pipefail

if [[ $1 == True && $2 == True ]]; then
  echo "the cuda backend was built, and linked with CUDA, cuBLAS and NCCL"
elif [[ $1 == True ]]; then
  echo "the cuda backend was built, and runs on its stand-in; it was not linked ($3)"
else
  echo "no CUDA toolkit: the cuda backend was not built ($3)"
fi
