// The entry points of libcublas that the backend uses.
#include "runtime/cuda/standin/state.h"
#include "runtime/cuda/standin/streams.h"
#include "runtime/operations/element.h"

#include <cblas.h>
#include <cublas_v2.h>

#include <mutex>
#include <vector>

using plumbline::operations::BFloat16;

// Another thread may still enqueue with what this one sets; the backend has a handle for each stage, so none does.
struct cublasContext {
  cudaStream_t stream = nullptr;
  bool hasWorkspace = false;
};

namespace plumbline::standin {
namespace {

struct Matrix {
  const void *data = nullptr;
  int step = 0;
  bool transposed = false;
};

struct Gemm {
  int m = 0, n = 0, k = 0;
  float alpha = 0, beta = 0;
  Matrix a, b;
  void *c = nullptr;
  int step = 0;
};

void run(const Gemm &g, const float *, float *) {
  const auto transposed = [](const Matrix &matrix) { return matrix.transposed ? CblasTrans : CblasNoTrans; };
  cblas_sgemm(CblasColMajor, transposed(g.a), transposed(g.b), g.m, g.n, g.k, g.alpha,
              static_cast<const float *>(g.a.data), g.a.step, static_cast<const float *>(g.b.data), g.b.step, g.beta,
              static_cast<float *>(g.c), g.step);
}

// op(matrix) as floats, with the dimension that is summed over innermost.
std::vector<float> widened(const Matrix &matrix, std::int64_t outer, std::int64_t k, bool rowsOutside) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(outer * k));
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t row = rowsOutside ? i : j, column = rowsOutside ? j : i;
      const std::int64_t place = matrix.transposed ? row * matrix.step + column : column * matrix.step + row;
      values.push_back(static_cast<float>(static_cast<const BFloat16 *>(matrix.data)[place]));
    }
  return values;
}

// In the order of the host's operations, so that the bits agree.
template <typename C> void run(const Gemm &g, const BFloat16 *, C *) {
  const std::vector<float> a = widened(g.a, g.m, g.k, true), b = widened(g.b, g.n, g.k, false);
  for (std::int64_t column = 0; column < g.n; ++column)
    for (std::int64_t row = 0; row < g.m; ++row) {
      float sum = 0;
      for (std::int64_t k = 0; k < g.k; ++k)
        sum += a[static_cast<std::size_t>(row * g.k + k)] * b[static_cast<std::size_t>(column * g.k + k)];
      C &to = static_cast<C *>(g.c)[column * g.step + row];
      to = static_cast<C>(g.alpha * sum + (g.beta == 0 ? 0.0F : g.beta * static_cast<float>(to)));
    }
}

template <typename E, typename C> void runBatch(Gemm g, std::int64_t a, std::int64_t b, std::int64_t c, int count) {
  for (int i = 0; i < count; ++i) {
    run(g, static_cast<const E *>(nullptr), static_cast<C *>(nullptr));
    g.a.data = static_cast<const E *>(g.a.data) + a;
    g.b.data = static_cast<const E *>(g.b.data) + b;
    g.c = static_cast<C *>(g.c) + c;
  }
}

cublasStatus_t enqueue(cublasHandle_t handle, const Gemm &g, cudaDataType_t element, cudaDataType_t result, long long a,
                       long long b, long long c, int count) {
  if (!handle->hasWorkspace) // allowed, but then calls allocate and results may vary
    return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto work = element == CUDA_R_32F && result == CUDA_R_32F     ? runBatch<float, float>
                    : element == CUDA_R_16BF && result == CUDA_R_32F  ? runBatch<BFloat16, float>
                    : element == CUDA_R_16BF && result == CUDA_R_16BF ? runBatch<BFloat16, BFloat16>
                                                                      : nullptr;
  if (!work)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  queueOf(handle->stream).enqueueKernel([=] { work(g, a, b, c, count); });
  return CUBLAS_STATUS_SUCCESS;
}

Gemm gemmOf(cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const void *alpha, const void *a,
            int stepA, const void *b, int stepB, const void *beta, void *c, int stepC) {
  return {m,
          n,
          k,
          *static_cast<const float *>(alpha),
          *static_cast<const float *>(beta),
          {a, stepA, opA == CUBLAS_OP_T},
          {b, stepB, opB == CUBLAS_OP_T},
          c,
          stepC};
}

} // namespace
} // namespace plumbline::standin

using namespace plumbline::standin;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  STANDIN_CALL(cublasStatus_t, "cublasCreate");
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); }); // as the host's operations do
  *handle = new cublasContext();
  ++state().handles;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  STANDIN_CALL(cublasStatus_t, "cublasDestroy");
  delete handle;
  --state().handles;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  STANDIN_CALL(cublasStatus_t, "cublasSetStream");
  handle->stream = stream;
  handle->hasWorkspace = false; // as documented
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, std::size_t bytes) {
  STANDIN_CALL(cublasStatus_t, "cublasSetWorkspace");
  handle->hasWorkspace = workspace && bytes > 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  STANDIN_CALL(cublasStatus_t, "cublasSetMathMode");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) {
  STANDIN_CALL(cublasStatus_t, "cublasSetAtomicsMode");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType typeA, int stepA, const void *b,
                            cudaDataType, int stepB, const void *beta, void *c, cudaDataType typeC, int stepC,
                            cublasComputeType_t, cublasGemmAlgo_t) {
  STANDIN_CALL(cublasStatus_t, "cublasGemmEx");
  return enqueue(handle, gemmOf(opA, opB, m, n, k, alpha, a, stepA, b, stepB, beta, c, stepC), typeA, typeC, 0, 0, 0,
                 1);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType typeA, int stepA,
                                          long long batchA, const void *b, cudaDataType, int stepB, long long batchB,
                                          const void *beta, void *c, cudaDataType typeC, int stepC, long long batchC,
                                          int count, cublasComputeType_t, cublasGemmAlgo_t) {
  STANDIN_CALL(cublasStatus_t, "cublasGemmStridedBatchedEx");
  return enqueue(handle, gemmOf(opA, opB, m, n, k, alpha, a, stepA, b, stepB, beta, c, stepC), typeA, typeC, batchA,
                 batchB, batchC, count);
}

const char *cublasGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_EXECUTION_FAILED";
}

const char *cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "the GPU program failed to execute";
}

} // extern "C"
