// What a finding is about, in a form that stays the same when unrelated parts of the file change.
#pragma once

#include "verifier/check/finding.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace plumbline::check {

// For each finding: rule, rank, stage, microbatch, opcode and pool as words, and of several that are the same in all
// this a number by place. No line, column, slot, count or wording is part of it, and neither is the file's name. Equal
// identities of two versions of a file are the same fault. Linear but for the numbering.
std::vector<std::string> identitiesOf(const Program &program, llvm::ArrayRef<Finding> findings);

} // namespace plumbline::check
