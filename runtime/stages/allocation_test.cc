// Between create and destroy the stages allocate nothing.
#include "runtime/stages/testing/pipeline.h"

#include "gtest/gtest.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

// The thread sanitizer brings operators of its own, which cannot be replaced; nothing is counted under it.
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define PLUMBLINE_KEEP_OPERATORS
#endif
#endif

namespace {
std::atomic<std::int64_t> allocations = 0;
} // namespace

#ifndef PLUMBLINE_KEEP_OPERATORS
// They count, and else do what the library's own do. Not inlined, or GCC takes new and free for a mismatch.
[[gnu::noinline]] void *operator new(std::size_t size) {
  ++allocations;
  if (void *const memory = std::malloc(size == 0 ? 1 : size))
    return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace plumbline::stages::testing {
namespace {

class Allocation : public ::testing::TestWithParam<const char *> {};

TEST_P(Allocation, NoneInPassesAndUpdates) {
  const auto [name, options] = llvm::StringRef(GetParam()).split(':');
  Pipeline pipeline(name, options.str(), 2, 1);
  pipeline.forward(0); // OpenBLAS keeps buffers of its own from its first product on
  const std::int64_t before = allocations;
  const std::size_t heap = mallinfo2().uordblks;
  pipeline.forward(0);
  pipeline.backward(0, 1, Backward::whole);
  pipeline.forward(0);
  pipeline.backward(0, 1, Backward::halves);
  pipeline.update(0.1F);
  const std::size_t heapAfter = mallinfo2().uordblks;
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(heapAfter, heap);
}

std::string nameOfCase(const ::testing::TestParamInfo<const char *> &info) {
  return llvm::StringRef(info.param).split(':').first.str() + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Stages, Allocation,
                         ::testing::Values("mlp:", "transformer:",
                                           "transformer:element=bf16,width=16,context=4,vocabulary=300",
                                           "synthetic:forward_us=10"),
                         nameOfCase);

} // namespace
} // namespace plumbline::stages::testing
