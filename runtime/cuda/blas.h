// Matrix products by cuBLAS.
#pragma once

#include "runtime/cuda/check.h"
#include "runtime/operations/operations.h"

#include <memory>
#include <string>

namespace plumbline::runtime::cuda {

// One handle with a workspace of its own: then the same product gives the same bits however many streams are at work
// (cuBLAS documentation, "Results Reproducibility"), and nothing is allocated in a call.
class Blas {
public:
  // Makes the device current. Null, and why not.
  static std::unique_ptr<Blas> make(std::int32_t device, std::string &whyNot);
  ~Blas();
  Blas(const Blas &) = delete;
  Blas &operator=(const Blas &) = delete;

  // Enqueues the product. A and B are of `element`, C of `result`; sums are in f32. Empty, or what failed.
  std::string multiply(cudaStream_t stream, const operations::Product &product, operations::Element element,
                       operations::Element result);

private:
  Blas() = default;
  std::string use(cudaStream_t stream);

  cublasHandle_t handle_ = nullptr;
  void *workspace_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bool hasStream_ = false;
};

} // namespace plumbline::runtime::cuda
