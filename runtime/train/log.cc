#include "runtime/train/log.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <cmath>

namespace plumbline::runtime {
namespace {

double perSecond(const StepNote &note) { return static_cast<double>(note.tokens) / std::max(note.seconds, 1e-9); }

void printText(const StepNote &note, llvm::raw_ostream &out) {
  out << "step " << note.step + 1 << '/' << note.steps << "  loss "
      << llvm::format("%.4f", static_cast<double>(note.loss)) << llvm::format("  %.1f ms", note.seconds * 1000);
  if (note.tokens > 0)
    out << llvm::format("  %.0f tokens/s", perSecond(note));
}

// JSON has no word for what is no number.
llvm::json::Value numberOrNull(double x) {
  return std::isfinite(x) ? llvm::json::Value(x) : llvm::json::Value(nullptr);
}

} // namespace

void Log::step(const StepNote &note) {
  switch (style_) {
  case LogStyle::progress:
    out_ << "\r\x1b[K";
    printText(note, out_);
    open_ = true;
    break;
  case LogStyle::text:
    printText(note, out_);
    out_ << '\n';
    break;
  case LogStyle::json: {
    llvm::json::OStream json(out_);
    json.object([&] {
      json.attribute("step", note.step);
      json.attribute("loss", numberOrNull(static_cast<double>(note.loss)));
      json.attribute("seconds", note.seconds);
      if (note.tokens > 0)
        json.attribute("tokens_per_second", perSecond(note));
    });
    out_ << '\n';
    break;
  }
  }
  out_.flush();
}

void Log::end() {
  if (std::exchange(open_, false))
    out_ << '\n';
  out_.flush();
}

} // namespace plumbline::runtime
