// PLUMBLINE_SWEEP=full asks for all of it; else the core.
#include "schedules/library.h"
#include "schedules/sweep/sweep.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace plumbline::schedules::sweep {
namespace {

Extent extent() {
  const char *const asked = std::getenv("PLUMBLINE_SWEEP");
  return asked && llvm::StringRef(asked) == "full" ? Extent::full : Extent::core;
}

class Sweep : public ::testing::TestWithParam<const Family *> {};

TEST_P(Sweep, IsVerifiedOrRejectedAsDocumented) {
  const Family &family = *GetParam();
  const Swept swept = sweep(family, extent());
  std::string some;
  for (std::size_t k = 0; k < swept.unexpected.size() && k < 10; ++k)
    some += "\n  " + swept.unexpected[k];
  EXPECT_TRUE(swept.unexpected.empty()) << swept.unexpected.size() << " of " << swept.cases << " cases:" << some;
  EXPECT_GT(swept.cases, 10U);
  RecordProperty("cases", static_cast<int>(swept.cases));
  RecordProperty("refused", static_cast<int>(swept.refused));

  std::ifstream file("docs/schedules.md");
  const std::string document(std::istreambuf_iterator<char>(file), {});
  for (const std::string &row : {descriptionOf(family), rowOf(family, swept.found)})
    EXPECT_NE(document.find("\n" + row + "\n"), std::string::npos)
        << "docs/schedules.md lacks the row; `bazel run //schedules/sweep:write_table` writes it:\n"
        << row;
}

std::string nameOfCase(const ::testing::TestParamInfo<const Family *> &info) { return info.param->name; }

INSTANTIATE_TEST_SUITE_P(Library, Sweep, ::testing::ValuesIn(library().begin(), library().end()), nameOfCase);

} // namespace
} // namespace plumbline::schedules::sweep
