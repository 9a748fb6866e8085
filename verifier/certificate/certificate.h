// What says that a Program may be run: the verifier's verdict about it, under a model.
//
// For now a certificate is taken on trust, as the file that the verifier wrote; the evidence that a checker without Z3
// can judge again will be added to it here. One file may hold several, a line each: verdicts under several models.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/model/options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::certificate {

// The least number of slots that a pool needs, as the verifier counted.
struct SlotClaim {
  std::int32_t rank = 0;
  std::string pool;
  std::int32_t least = 0;
};

struct Certificate {
  std::string programHash; // of the Program with the communicators that the model names
  std::string verdict;     // "verified" or another
  model::Options model;
  std::vector<SlotClaim> slots; // of pools that were counted
};

// One JSON object on one line, schema plumbline.certificate.v1.
std::string print(const Certificate &certificate);

// The certificates in a file's text, at least one. Errors: file and line, and what was expected there.
Result<std::vector<Certificate>> parse(const std::string &file, const std::string &text);

} // namespace plumbline::certificate
