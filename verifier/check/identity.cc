#include "verifier/check/identity.h"

#include "llvm/ADT/StringMap.h"

namespace plumbline::check {
namespace {

std::string subjectOf(const Program &program, const Finding &finding) {
  std::string text = "PL" + std::to_string(static_cast<unsigned>(finding.rule));
  const auto add = [&](const char *what, auto id) {
    if (id.valid())
      text += std::string(" ") + what + " " + std::to_string(id.value());
  };
  add("rank", finding.rank);
  add("stage", finding.stage);
  add("microbatch", finding.microbatch);
  if (finding.instruction.valid()) {
    const Instruction &i = program.at(finding.instruction);
    text += " " + name(i.opcode).str();
    add("peer", i.peer);
    if (i.label.valid())
      text += " '" + program.labels[static_cast<std::size_t>(i.label.value())] + "'";
  }
  if (finding.pool.valid())
    text += " pool '" + program.pools[static_cast<std::size_t>(finding.pool.value())].name + "'";
  return text;
}

} // namespace

std::vector<std::string> identitiesOf(const Program &program, llvm::ArrayRef<Finding> findings) {
  std::vector<std::string> identities;
  llvm::StringMap<std::size_t> seen;
  for (const Finding &finding : findings) {
    std::string subject = subjectOf(program, finding);
    if (const std::size_t earlier = seen[subject]++; earlier > 0)
      subject += " #" + std::to_string(earlier + 1);
    identities.push_back(std::move(subject));
  }
  return identities;
}

} // namespace plumbline::check
