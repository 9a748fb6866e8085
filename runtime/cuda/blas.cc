#include "runtime/cuda/blas.h"

namespace plumbline::runtime::cuda {
namespace {

using operations::Element;
using operations::Product;
using operations::Steps;

// What the documentation of cublasSetWorkspace advises for Hopper; for others it advises less.
constexpr std::size_t workspaceBytes = std::size_t(32) << 20U;

cudaDataType_t typeOf(Element element) { return element == Element::f32 ? CUDA_R_32F : CUDA_R_16BF; }

cublasOperation_t operationOf(const operations::Side &side) { return side.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

std::int64_t bytesOf(std::int64_t elements, Element element) {
  return elements * static_cast<std::int64_t>(operations::bytesOf(element));
}

// One of the two loops of a batch; cuBLAS runs the other.
struct Loop {
  std::int64_t count = 1;
  std::int64_t Steps::*step = nullptr;
};

} // namespace

std::unique_ptr<Blas> Blas::make(std::int32_t device, std::string &whyNot) {
  std::unique_ptr<Blas> blas(new Blas());
  Calls calls;
  if (calls(cudaSetDevice(device), "cudaSetDevice") && calls(cublasCreate(&blas->handle_), "cublasCreate") &&
      calls(cudaMalloc(&blas->workspace_, workspaceBytes), "cudaMalloc of cuBLAS's workspace") &&
      calls(cublasSetAtomicsMode(blas->handle_, CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode"))
    // Sums of bf16 products stay in f32 where a product is split.
    calls(cublasSetMathMode(blas->handle_, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                                                     CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
          "cublasSetMathMode");
  whyNot = calls.wrong();
  return whyNot.empty() ? std::move(blas) : nullptr;
}

Blas::~Blas() {
  if (handle_)
    tell(check(cublasDestroy(handle_), "cublasDestroy"));
  if (workspace_)
    tell(check(cudaFree(workspace_), "cudaFree"));
}

// Setting the stream takes the workspace away again (documentation of cublasSetStream), so both are set.
std::string Blas::use(cudaStream_t stream) {
  if (hasStream_ && stream == stream_)
    return "";
  Calls calls;
  if (calls(cublasSetStream(handle_, stream), "cublasSetStream") &&
      calls(cublasSetWorkspace(handle_, workspace_, workspaceBytes), "cublasSetWorkspace")) {
    stream_ = stream;
    hasStream_ = true;
  }
  return calls.wrong();
}

// cuBLAS has its matrices in columns: to it every one of ours is its transpose, and C^T = B^T A^T.
std::string Blas::multiply(cudaStream_t stream, const Product &p, Element element, Element result) {
  if (std::string wrong = use(stream); !wrong.empty())
    return wrong;
  Loop outer{p.sequences, &Steps::sequence}, inner{p.heads, &Steps::head};
  if (outer.count > inner.count) // fewer calls
    std::swap(outer, inner);
  const auto size = [](std::int64_t n) { return static_cast<int>(n); };
  Calls calls;
  for (std::int64_t k = 0; k < outer.count; ++k) {
    const char *const a = static_cast<const char *>(p.a.data) + bytesOf(k * (p.a.steps.*outer.step), element);
    const char *const b = static_cast<const char *>(p.b.data) + bytesOf(k * (p.b.steps.*outer.step), element);
    char *const c = static_cast<char *>(p.c) + bytesOf(k * (p.steps.*outer.step), result);
    if (inner.count == 1)
      calls(cublasGemmEx(handle_, operationOf(p.b), operationOf(p.a), size(p.columns), size(p.rows), size(p.inner),
                         &p.alpha, b, typeOf(element), size(p.b.steps.row), a, typeOf(element), size(p.a.steps.row),
                         &p.beta, c, typeOf(result), size(p.steps.row), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
    else
      calls(cublasGemmStridedBatchedEx(handle_, operationOf(p.b), operationOf(p.a), size(p.columns), size(p.rows),
                                       size(p.inner), &p.alpha, b, typeOf(element), size(p.b.steps.row),
                                       p.b.steps.*inner.step, a, typeOf(element), size(p.a.steps.row),
                                       p.a.steps.*inner.step, &p.beta, c, typeOf(result), size(p.steps.row),
                                       p.steps.*inner.step, size(inner.count), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            "cublasGemmStridedBatchedEx");
  }
  return calls.wrong();
}

} // namespace plumbline::runtime::cuda
