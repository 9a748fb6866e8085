#include "runtime/admission/admission.h"

#include "verifier/certificate/program_hash.h"
#include "verifier/model/words.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime {

using certificate::Certificate;

namespace {

// Which of several verdicts on the same question counts: one that is against running, or else the one that allows it.
int weightOf(const Certificate &certificate) {
  return certificate.verdict == "rejected" ? 2 : certificate.verdict == "verified" ? 1 : 0;
}

} // namespace

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
    const Certificate *covering = nullptr;
    std::string others;
    for (const Certificate &c : certificates) {
      if (!isOfProgram(c))
        continue;
      others += (others.empty() ? "" : "; and ") + model::describe(c.model);
      if (covers(c.model, behaviour) && (!covering || weightOf(c) > weightOf(*covering)))
        covering = &c;
    }
    if (!covering)
      return "it would run under " + model::describe(behaviour) + ", and was verified under " + others +
             ". Verify it under the model that it will run under";
    if (covering->verdict != "verified")
      return "the certificate says that the program is " + covering->verdict + " under " +
             model::describe(covering->model);
  }
  return "";
}

std::vector<model::Options> withAndWithoutRoom(const model::Options &options) {
  model::Options without = options, with = options;
  without.room = 0;
  without.roomBytes = -1;
  with.room = model::endlessRoom;
  with.roomBytes = -1;
  return {without, with};
}

} // namespace plumbline::runtime
