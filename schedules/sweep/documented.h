// What the sweep is to find other than `verified`: properties of published schedules, each with its reason.
#pragma once

#include "schedules/family/family.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::schedules::sweep {

// One rejection that is a property of a schedule.
struct Documented {
  const char *family;
  const char *model;  // as modelNames() has it
  const char *rules;  // "PL301" or "PL401, PL501": exactly these have errors
  const char *reason; // for people: when, why, and what to do
  bool (*applies)(const Request &);
};

llvm::ArrayRef<Documented> documented();

// The models under which every case is judged: "blocking", "nccl single", "nccl pair", "nccl directed".
llvm::ArrayRef<const char *> modelNames();

// The entry for a case under a model; null: it is to be verified.
const Documented *findDocumented(llvm::StringRef family, llvm::StringRef model, const Request &request);

} // namespace plumbline::schedules::sweep
