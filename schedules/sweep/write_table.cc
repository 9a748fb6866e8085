// Writes the tables of docs/schedules.md: `bazel run //schedules/sweep:write_table [-- full]`.
#include "schedules/library.h"
#include "schedules/sweep/sweep.h"
#include "verifier/cli/files.h"

#include <cstdlib>

int main(int argc, char **argv) {
  using namespace plumbline;
  using namespace plumbline::schedules;
  const auto extent = argc > 1 && llvm::StringRef(argv[1]) == "full" ? sweep::Extent::full : sweep::Extent::core;
  std::string descriptions = sweep::headOfDescriptions(), table = sweep::headOfTable();
  for (const Family *family : library()) {
    const sweep::Swept swept = sweep::sweep(*family, extent);
    llvm::errs() << family->name << ": " << swept.cases << " cases, " << swept.refused << " refused\n";
    for (const std::string &unexpected : swept.unexpected)
      llvm::errs() << "  " << unexpected << '\n';
    descriptions += sweep::descriptionOf(*family) + "\n";
    table += sweep::rowOf(*family, swept.found) + "\n";
  }
  // Bazel runs it elsewhere, and says where the workspace is.
  const char *const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string name = (workspace ? std::string(workspace) + "/" : "") + "docs/schedules.md";
  const Result<std::string> document = cli::readFile(name);
  const std::string tables = "\n" + descriptions + "\n" + table + sweep::notesOfTable() + "\n";
  const auto written = document ? sweep::withTables(*document, tables) : std::nullopt;
  if (!written) {
    llvm::errs() << name << ": " << (document ? "has no table to replace" : document.error().message) << '\n';
    return 2;
  }
  const std::string wrong = cli::writeFile(name, [&](llvm::raw_ostream &out) { out << *written; });
  llvm::errs() << wrong;
  return wrong.empty() ? 0 : 2;
}
