// A schedule family: a published way to order a pipeline's work, for any sizes that it allows.
//
// A family is a plain table of facts and functions, one file each (gpipe.cc, one_f_one_b.cc, ...). `rows` gives the
// order in which every rank computes; everything else of a program (messages, slots, waits) is added by
// verifier/lower. A family of your own is the same struct in a file of yours: see docs/schedules.md.
#pragma once

#include "schedules/family/rows.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"
#include "verifier/ir/sizes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace plumbline::schedules {

// How the stages of one replica sit on R ranks. Which stage that makes chunk c of rank r: see Request::stage.
enum class Shape : std::uint8_t {
  line,          // S = R: stage s on rank s
  loop,          // S = vR: stage s on rank s mod R; v chunks a rank
  vee,           // S = 2R: down the ranks and up again
  waves,         // S = 2wR: down and up w times
  bidirectional, // two replicas of S = R stages: the first down the ranks, the second up
};

// A setting of a family beside its sizes: a number in a range, or one of a few words.
struct Option {
  const char *name = nullptr;
  const char *meaning = nullptr;           // for people, a few words
  std::int64_t initial = 0;                // value where the user says nothing; of words, the index
  std::int64_t least = 0;                  // numbers from least
  std::int64_t most = 0;                   // to most
  llvm::ArrayRef<const char *> words = {}; // if not empty the value is one of these
};

// Recompute: every training family has this option, and no family needs to know of it (recompute.h).
extern const Option recomputeOption;

// What is asked of a family. Made by makeRequest, which checks it.
class Request {
public:
  std::int32_t stages = 0; // of one replica
  std::int32_t ranks = 0;
  std::int32_t microbatches = 0; // of one step; of all replicas together
  Shape shape = Shape::line;
  llvm::StringMap<std::int64_t> options; // every option of the family has its value here

  // Stages of one replica on a rank.
  [[nodiscard]] std::int32_t chunks() const { return stages / ranks; }
  // The stage that is chunk `chunk` (counted along the pipeline) of `rank`. Of a bidirectional pipeline, chunk 1 is the
  // stage of the second replica; its stages are numbered behind those of the first.
  [[nodiscard]] StageId stage(std::int32_t chunk, std::int32_t rank) const;
  // The option's value. The family must have the option.
  [[nodiscard]] std::int64_t option(llvm::StringRef name) const;
};

struct Family {
  const char *name = nullptr;   // on the command line, e.g. "zb_h1"
  const char *title = nullptr;  // a few words
  const char *paper = nullptr;  // where it is from: paper and figure, or framework
  const char *memory = nullptr; // closed form of what a rank holds at most, for people
  const char *bubble = nullptr; // closed form of the idle time, for people
  Shape shape = Shape::line;
  Mode mode = Mode::training;
  llvm::ArrayRef<Option> options = {};

  // What is wrong with the request beyond what shape and options say; empty: nothing. Null: never anything.
  std::string (*refuse)(const Request &) = nullptr;
  // The order of every rank: what it computes, and messages only if `complete` says that they are there. The request
  // has been checked. Linear in the number of actions.
  Rows (*rows)(const Request &) = nullptr;
  // Fills in what the framework prints beside the rows (that messages are in them, how many buffers DeepSpeed's lists
  // declare). Null: nothing more.
  void (*complete)(const Request &, Schedule &) = nullptr;

  // Closed forms, for unit costs (forward 1, backward 2, either half of it 1). They say nothing where the paper says
  // nothing, and are null where there is none.
  // Most (stage, microbatch) pairs of the rank whose forward pass began and whose backward pass did not end.
  std::optional<std::int64_t> (*inFlight)(const Request &, std::int32_t rank) = nullptr;
  // Idle time between the first and the last action of the rank that idles most.
  std::optional<std::int64_t> (*bubbleTime)(const Request &) = nullptr;
};

// One value as a user gives it: name and text.
struct OptionText {
  std::string name;
  std::string value;
};

// Stages times microbatches (of all replicas, and segments) of a schedule. Keeps a generated file below a gigabyte and
// its making to seconds.
inline constexpr std::int64_t mostPairs = 400'000;

// Checks sizes and options against the family and fills in what was left out: ranks from stages or stages from ranks
// (two chunks a rank where a rank has several), and the options' initial values. Errors name the family, what it needs
// and what it got; also sizes beyond verifier/ir/limits.h.
Result<Request> makeRequest(const Family &family, const Sizes &sizes, llvm::ArrayRef<OptionText> options);

// The family's schedule for a request that makeRequest gave: a compute-only Schedule unless `complete` says more.
Schedule generate(const Family &family, const Request &request);

// The options of the family, recomputation included.
std::vector<Option> optionsOf(const Family &family);

} // namespace plumbline::schedules
