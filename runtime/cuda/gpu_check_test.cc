// What tools/gpu_check runs, on the stand-in.
#include "runtime/cuda/environment.h"
#include "runtime/cuda/gpu_check.h"

#include "runtime/cuda/standin/standin.h"

#include "gtest/gtest.h"

#include <cuda_runtime_api.h>

namespace plumbline::runtime::cuda {
namespace {

[[maybe_unused]] const bool environmentIsSet = (setEnvironment(), true);

constexpr const char *small = "width=16,layers=1,context=8,batch=2,vocabulary=128,heads=2";

TEST(GpuCheck, AllWaysAgreeWithTheHost) {
  standin::configure({.devices = 4});
  std::string table;
  llvm::raw_string_ostream out(table);
  EXPECT_EQ(gpuCheck(out, 4, small), 0) << table;
  EXPECT_EQ(table.find("left out"), std::string::npos) << table;
  EXPECT_EQ(standin::left(), standin::Left());
}

TEST(GpuCheck, LeavesOutWhatNeedsMoreDevices) {
  standin::configure({.devices = 1});
  std::string table;
  llvm::raw_string_ostream out(table);
  EXPECT_EQ(gpuCheck(out, 2, small), 0) << table;
  EXPECT_NE(table.find("left out: needs 4 devices"), std::string::npos) << table;
}

TEST(GpuCheck, SaysWhatFailed) {
  standin::configure({.devices = 1});
  standin::failCall("cudaEventRecord", 30, cudaErrorIllegalAddress);
  std::string table;
  llvm::raw_string_ostream out(table);
  EXPECT_EQ(gpuCheck(out, 2, small), 1) << table;
  EXPECT_NE(table.find("FAILED: cudaEventRecord failed: an illegal memory access"), std::string::npos) << table;
}

TEST(GpuCheck, WithoutADeviceSaysSo) {
  standin::configure({.devices = 1});
  standin::failCall("cudaGetDeviceCount", 0, cudaErrorInsufficientDriver);
  std::string table;
  llvm::raw_string_ostream out(table);
  EXPECT_EQ(gpuCheck(out, 2, small), 2);
  EXPECT_EQ(table, "no CUDA device: CUDA driver version is insufficient for CUDA runtime version\n");
}

} // namespace
} // namespace plumbline::runtime::cuda
