// What says that a Program may be run: the verifier's verdict about it, under a model.
//
// For now a certificate is taken on trust, as the file that the verifier wrote; the evidence that a checker without Z3
// can judge again will be added to it here. One file may hold several, a line each: verdicts under several models.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/model/options.h"

#include <string>
#include <vector>

namespace plumbline::certificate {

struct Certificate {
  std::string programHash; // of the Program with the communicators that the model names
  std::string verdict;     // "verified" or another
  model::Options model;
};

// One JSON object on one line, schema plumbline.certificate.v1.
std::string print(const Certificate &certificate);

// The certificates in a file's text, at least one. Errors: file and line, and what was expected there.
Result<std::vector<Certificate>> parse(const std::string &file, const std::string &text);

} // namespace plumbline::certificate
