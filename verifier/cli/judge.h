// From a file name to a Report: read, lower, choose the model, verify. No exits and no printing.
#pragma once

#include "verifier/frontend/frontend.h"
#include "verifier/ir/sizes.h"
#include "verifier/report/report.h"

#include "spdlog/logger.h"

#include <optional>
#include <string>

namespace plumbline::cli {

enum class PlacementChoice : std::uint8_t { automatic, loop, v, file };

// What the command line says; what it leaves open follows from the input.
struct Settings {
  frontend::Format from = frontend::Format::automatic;
  std::string batches; // file name; empty: none
  PlacementChoice placement = PlacementChoice::automatic;
  std::string placementFile;
  std::optional<model::Kind> kind;
  std::optional<model::Comms> comms;
  std::optional<model::Wait> wait;
  model::Grouping grouping = model::Grouping::given;
  model::Connect connect = model::Connect::ready;
  model::Streams streams = model::Streams::independent;
  std::int32_t room = 0;
  bool roomGiven = false; // it was asked for: it also replaces what communicators of a `.pir` file say of themselves
  std::int64_t roomBytes = -1;
  std::int32_t plan = 0;
  bool strict = false;
  std::size_t findingsPerRule = 20; // kept of each rule in the report; the rest is counted
  check::Limits limits;
  Sizes sizes;                       // that the schedule has to have
  std::optional<Mode> mode;          // likewise
  std::optional<model::Costs> costs; // of instructions, for times; unit costs if nothing is said
  bool timeline = false;             // asked for, in the report
  bool reproducible = false;         // no times in the report
  double timeout = 0;                // seconds; 0: none
  bool hasTimeout = false;
  unsigned jobs = 1;
  spdlog::logger *log = nullptr; // what is done, for whoever asks with --log; null: nobody does
};

// Reads and lowers the file into `report` (program, format, notes, texts). Returns false and sets `invalid` if it
// cannot.
bool load(const std::string &file, const Settings &settings, report::Report &report);

// load, then verification under the model that settings and input choose.
report::Report judge(const std::string &file, const Settings &settings, smt::Session &session);
report::Report judge(const std::string &file, const Settings &settings); // in a session of its own

// The same for a Program that is at hand; its messages get the communicators that the settings name (by default a
// single one; Comms::given leaves them as they are).
report::Report judgeProgram(const std::string &name, Program program, const Settings &settings, smt::Session &session);

// The same for a text that is at hand.
report::Report judgeText(const std::string &name, std::string text, const Settings &settings);

} // namespace plumbline::cli
