// What the JSON outputs have in common: findings, sizes and models as plumbline.report.v1 has them (docs/report.md).
#pragma once

#include "verifier/report/report.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace plumbline::report {

// JSON strings must be UTF-8, which file names and quoted input need not be.
std::string utf8(llvm::StringRef text);

// An id, or null for none.
template <typename IdType> void printId(llvm::json::OStream &json, llvm::StringRef key, IdType id) {
  if (id.valid())
    json.attribute(key, id.value());
  else
    json.attribute(key, nullptr);
}

// "idle_share" and "makespan", the attributes of an open object.
void printBubble(llvm::json::OStream &json, const check::Bubble &bubble);

// Prints the attributes of an object that is open in `json`. Both must outlive it.
class JsonParts {
public:
  JsonParts(const Report &report, llvm::json::OStream &json) : report_(report), json_(json) {}

  // "error", of an invalid report.
  void printError();
  // "program" and "model", of another.
  void printProgram();
  void printModel();
  // Those of one finding, "rule" to "cycle".
  void printFinding(const check::Finding &finding);
  // "location": null if it is none.
  void printLocation(SourceLocation location);

private:
  void printPlace(llvm::StringRef file, std::uint32_t line, std::uint32_t column);
  void printRelated(llvm::StringRef key, llvm::ArrayRef<check::Related> list);

  const Report &report_;
  llvm::json::OStream &json_;
};

} // namespace plumbline::report
