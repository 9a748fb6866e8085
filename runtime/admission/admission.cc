#include "runtime/admission/admission.h"

#include "verifier/certificate/program_hash.h"
#include "verifier/model/words.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime {

using certificate::Certificate;

bool covers(const model::Options &certified, const model::Options &behaviour) {
  model::Options same = certified;
  same.comms = behaviour.comms;
  same.streams = behaviour.streams;
  const bool streams = certified.streams == behaviour.streams || behaviour.streams == model::Streams::independent;
  return streams && same == behaviour;
}

std::string whyNot(const Program &program, llvm::ArrayRef<Certificate> certificates,
                   llvm::ArrayRef<model::Options> behaviours) {
  const std::string hash = certificate::hashOf(program);
  const auto isOfProgram = [&](const Certificate &c) { return c.programHash == hash; };
  if (!llvm::any_of(certificates, isOfProgram))
    return "the certificate is for another program: its hash is " + certificates.front().programHash +
           ", that of this file " + hash +
           ". Has the file changed since it was verified, or was it verified with --comms? Verify it again";
  for (const model::Options &behaviour : behaviours) {
    std::string others;
    bool covered = false;
    for (const Certificate &c : certificates) {
      if (!isOfProgram(c))
        continue;
      if (c.verdict != "verified")
        return "the certificate says that the program is " + c.verdict + " (" + model::describe(c.model) + ")";
      covered |= covers(c.model, behaviour);
      others += (others.empty() ? "" : "; and ") + model::describe(c.model);
    }
    if (!covered)
      return "it would run under " + model::describe(behaviour) + ", and was verified under " + others +
             ". Verify it under the model that it will run under";
  }
  return "";
}

} // namespace plumbline::runtime
