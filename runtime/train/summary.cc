#include "runtime/train/summary.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace plumbline::runtime {
namespace {

std::string numberOrDash(std::int32_t n) { return n < 0 ? "-" : std::to_string(n); }

llvm::json::Value numberOrNull(std::int32_t n) { return n < 0 ? llvm::json::Value(nullptr) : llvm::json::Value(n); }

std::string bytesText(std::uint64_t bytes) {
  if (bytes < 10'000)
    return std::to_string(bytes) + " B";
  const double kib = static_cast<double>(bytes) / 1024;
  std::string text;
  llvm::raw_string_ostream out(text);
  if (kib < 10'000)
    out << llvm::format("%.0f KiB", kib);
  else
    out << llvm::format("%.0f MiB", kib / 1024);
  return text;
}

} // namespace

Summary summarize(const Plan &plan, Backend &backend, llvm::function_ref<std::int32_t(PoolId)> least,
                  std::int64_t steps, double seconds) {
  Summary summary;
  summary.steps = steps;
  summary.seconds = seconds;
  summary.measured = idleTimeOf(plan, backend.spans());
  summary.predicted = idleTimeOf(plan, predict(plan, meanDurations(plan, backend.spans())));
  const Program &program = *plan.program;
  for (std::int32_t r = 0; r < program.rankCount(); ++r) {
    RankSummary rank;
    rank.rank = r;
    rank.reservedBytes = backend.reservedBytes(RankId(r));
    summary.ranks.push_back(std::move(rank));
  }
  std::vector<std::int32_t> named(program.pools.size(), 0);
  for (const SlotAccess &access : program.accesses) {
    std::int32_t &slots = named[static_cast<std::size_t>(access.pool.value())];
    slots = std::max(slots, access.slot + 1);
  }
  for (std::size_t p = 0; p < program.pools.size(); ++p) {
    const PoolId pool(static_cast<std::int32_t>(p));
    summary.ranks[static_cast<std::size_t>(program.pools[p].rank.value())].pools.push_back(
        {program.pools[p].name, named[p], least(pool), backend.peakSlots(pool)});
  }
  return summary;
}

void printSummary(const Summary &summary, llvm::raw_ostream &out) {
  out << summary.steps << (summary.steps == 1 ? " step" : " steps") << llvm::format(" in %.2f s\n", summary.seconds);
  if (summary.measured.makespan > 0)
    out << llvm::format("idle in the last step: %.1f%% of the ranks' time; predicted for passes of the measured mean "
                        "durations: %.1f%%\n",
                        summary.measured.share * 100, summary.predicted.share * 100);
  out << "slots: most in use at one time / least that the verifier proved to be enough / reserved\n";
  for (const RankSummary &rank : summary.ranks) {
    out << "  rank " << rank.rank << ": " << bytesText(rank.reservedBytes) << " reserved";
    if (static_cast<std::size_t>(rank.rank) < summary.measured.byRank.size() && summary.measured.makespan > 0)
      out << llvm::format(", idle %.1f%%", summary.measured.byRank[static_cast<std::size_t>(rank.rank)] * 100);
    for (const PoolSummary &pool : rank.pools)
      out << "; " << pool.pool << ' ' << numberOrDash(pool.peak) << '/' << numberOrDash(pool.predicted) << '/'
          << pool.slots;
    out << '\n';
  }
}

void printSummaryJson(const Summary &summary, llvm::raw_ostream &out) {
  llvm::json::OStream json(out);
  json.object([&] {
    json.attributeObject("summary", [&] {
      json.attribute("steps", summary.steps);
      json.attribute("seconds", summary.seconds);
      json.attribute("idle_share", summary.measured.share);
      json.attribute("predicted_idle_share", summary.predicted.share);
      json.attribute("makespan_seconds", static_cast<double>(summary.measured.makespan) * 1e-9);
      json.attributeArray("ranks", [&] {
        for (const RankSummary &rank : summary.ranks)
          json.object([&] {
            json.attribute("rank", rank.rank);
            json.attribute("reserved_bytes", static_cast<std::int64_t>(rank.reservedBytes));
            json.attributeArray("pools", [&] {
              for (const PoolSummary &pool : rank.pools)
                json.object([&] {
                  json.attribute("pool", llvm::json::fixUTF8(pool.pool));
                  json.attribute("peak", numberOrNull(pool.peak));
                  json.attribute("least", numberOrNull(pool.predicted));
                  json.attribute("reserved", pool.slots);
                });
            });
          });
      });
    });
  });
  out << '\n';
}

} // namespace plumbline::runtime
