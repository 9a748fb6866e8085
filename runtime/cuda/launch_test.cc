#include "runtime/cuda/launch.h"

#include "gtest/gtest.h"

#include <map>

namespace plumbline::runtime::cuda {
namespace {

using Environment = std::map<std::string, std::string>;

Result<Launch> read(const Environment &environment) {
  return readLaunch([&](const char *name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

void expectLaunch(const Environment &environment, const Launch &wanted) {
  const Result<Launch> got = read(environment);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->rank, wanted.rank);
  EXPECT_EQ(got->size, wanted.size);
  EXPECT_EQ(got->localRank, wanted.localRank);
  EXPECT_EQ(got->address, wanted.address);
  EXPECT_EQ(got->port, wanted.port);
  EXPECT_STREQ(got->launcher, wanted.launcher);
}

void expectError(const Environment &environment, const std::string &text) {
  const Result<Launch> got = read(environment);
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().message.find(text), std::string::npos) << got.error().message;
}

TEST(Launch, WithoutALauncherIsOneProcess) { expectLaunch({{"HOME", "/"}}, {0, 1, 0, "", 0, nullptr}); }

TEST(Launch, Torchrun) {
  expectLaunch(
      {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "node-0"}, {"MASTER_PORT", "29500"}},
      {5, 8, 1, "node-0", 29501, "torchrun"});
}

TEST(Launch, OpenMpi) {
  Environment environment = {{"OMPI_COMM_WORLD_RANK", "3"},
                             {"OMPI_COMM_WORLD_SIZE", "4"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}};
  expectLaunch(environment, {3, 4, 3, "127.0.0.1", 29577, "Open MPI"});
  environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = "2";
  expectError(environment, "set MASTER_ADDR or PLUMBLINE_ADDRESS");
  environment["PLUMBLINE_ADDRESS"] = "10.0.0.1";
  environment["PLUMBLINE_PORT"] = "4000";
  expectLaunch(environment, {3, 4, 3, "10.0.0.1", 4000, "Open MPI"});
}

TEST(Launch, Slurm) {
  Environment environment = {{"SLURM_PROCID", "0"},
                             {"SLURM_STEP_NUM_TASKS", "16"},
                             {"SLURM_LOCALID", "0"},
                             {"SLURM_JOB_ID", "1234567"},
                             {"SLURM_JOB_NODELIST", "gpu[003-004,17]"}};
  expectLaunch(environment, {0, 16, 0, "gpu003", 24567, "Slurm"});
  // A batch script is one process, whatever srun in it will start.
  expectLaunch({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}, {"SLURM_LOCALID", "0"}}, {0, 1, 0, "", 0, nullptr});
  environment["SLURM_STEP_NODELIST"] = "gpu17,login1";
  expectLaunch(environment, {0, 16, 0, "gpu17", 24567, "Slurm"});
  environment["SLURM_STEP_NODELIST"] = "gpu[9]";
  expectLaunch(environment, {0, 16, 0, "gpu9", 24567, "Slurm"});
}

TEST(Launch, OneProcessNeedsNoAddress) {
  expectLaunch({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}, {0, 1, 0, "", 0, "Open MPI"});
}

TEST(Launch, SaysWhichVariableIsWrong) {
  expectError({{"RANK", "x"}, {"WORLD_SIZE", "2"}}, "RANK is 'x'; it has to be a number from 0 to 1");
  expectError({{"RANK", "2"}, {"WORLD_SIZE", "2"}}, "RANK is '2'");
  expectError({{"RANK", "0"}, {"WORLD_SIZE", "-2"}}, "WORLD_SIZE is '-2'");
  expectError({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "65535"}}, "MASTER_PORT");
  expectError({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", ""}}, "LOCAL_RANK is ''");
}

} // namespace
} // namespace plumbline::runtime::cuda
