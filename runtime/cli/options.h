// The command line of `plumbline run`, read into plain values.
#pragma once

#include "runtime/train/log.h"
#include "verifier/model/options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::runtime {

struct RunOptions {
  std::string file; // "-": standard input
  std::vector<std::string> certificates;
  bool allowUnverified = false;
  bool check = false;
  std::string stage = "transformer"; // a bundled one, or LIBRARY.so:NAME
  std::string stageOptions;
  std::int64_t steps = 10;
  double learningRate = 0.001;
  std::uint64_t seed = 1;
  std::int32_t copies = 1; // --dp
  std::string data;        // file with a text; empty: the sample text
  std::string checkpoint;  // folder
  std::int64_t saveEvery = 1;
  bool resume = false;
  std::string trace;
  std::optional<LogStyle> format; // text or json; empty: as the terminal wants it
  // The model; what is not given follows from the certificate, or without one from the Program.
  std::optional<model::Kind> kind;
  std::optional<model::Wait> wait;
  std::optional<model::Grouping> grouping;
  std::optional<model::Connect> connect;
  std::optional<std::int32_t> room, plan;
  std::optional<std::int64_t> roomBytes;
};

// Reads the arguments behind `plumbline run`. On bad usage prints what is wrong to standard error and returns false.
// --help prints and ends the process with 0. `stages`: for --help, what --stage takes.
bool parseRunOptions(int argc, char **argv, const std::string &stages, RunOptions &options);

} // namespace plumbline::runtime
