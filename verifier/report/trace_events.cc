#include "verifier/report/trace_events.h"

#include "llvm/Support/Format.h"

namespace plumbline::report {
namespace {

using llvm::json::OStream;

std::string utf8(llvm::StringRef text) { return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text); }

// A double would not hold all of them exactly, and bars that meet would overlap.
void printTime(OStream &json, llvm::StringRef key, std::int64_t nanoseconds) {
  json.attributeBegin(key);
  json.rawValue([&](llvm::raw_ostream &out) {
    out << nanoseconds / 1000;
    if (const std::int64_t rest = nanoseconds % 1000; rest > 0)
      out << llvm::format(".%03d", static_cast<int>(rest));
  });
  json.attributeEnd();
}

void printPlace(OStream &json, TraceRow row) {
  constexpr std::int64_t mostProcesses = 10'000'000; // so that no two rows have one number
  const std::int64_t process = row.process + 1;
  json.attribute("pid", process);
  json.attribute("tid", row.row * mostProcesses + process);
}

} // namespace

void TraceEvents::nameProcess(std::int32_t process, llvm::StringRef name) {
  metadata({process, 0}, "process_name", "name", name);
  sortIndex({process, 0}, "process_sort_index", process);
}

void TraceEvents::labelProcess(std::int32_t process, llvm::StringRef label) {
  metadata({process, 0}, "process_labels", "labels", label);
}

void TraceEvents::nameRow(TraceRow row, llvm::StringRef name) {
  metadata(row, "thread_name", "name", name);
  sortIndex(row, "thread_sort_index", row.row);
}

void TraceEvents::bar(TraceRow row, llvm::StringRef name, llvm::StringRef category, std::int64_t begin,
                      std::int64_t end, Arguments arguments) {
  event("X", name, [&](OStream &json) {
    json.attribute("cat", category);
    printPlace(json, row);
    printTime(json, "ts", begin);
    printTime(json, "dur", end - begin);
    json.attributeObject("args", [&] { arguments(json); });
  });
}

void TraceEvents::mark(TraceRow row, TraceScope scope, llvm::StringRef name, llvm::StringRef category, std::int64_t at,
                       Arguments arguments) {
  event("i", name, [&](OStream &json) {
    json.attribute("cat", category);
    json.attribute("s", scope == TraceScope::row ? "t" : scope == TraceScope::process ? "p" : "g");
    printPlace(json, row);
    printTime(json, "ts", at);
    json.attributeObject("args", [&] { arguments(json); });
  });
}

void TraceEvents::counter(std::int32_t process, llvm::StringRef name, llvm::StringRef series, std::int64_t at,
                          std::int64_t value) {
  event("C", name, [&](OStream &json) {
    printPlace(json, {process, 0});
    printTime(json, "ts", at);
    json.attributeObject("args", [&] { json.attribute(series, value); });
  });
}

void TraceEvents::add(llvm::StringRef printed) {
  if (printed.empty())
    return;
  separate();
  out_ << printed;
}

void TraceEvents::arrow(TraceRow row, std::int64_t id, std::int64_t at, llvm::StringRef phase) {
  event(phase, "message", [&](OStream &json) {
    json.attribute("cat", "message");
    json.attribute("id", id);
    if (phase == "f")
      json.attribute("bp", "e"); // ends at the bar around it, not at the next one
    printPlace(json, row);
    printTime(json, "ts", at);
  });
}

void TraceEvents::metadata(TraceRow row, llvm::StringRef what, llvm::StringRef key, llvm::StringRef value) {
  event("M", what, [&](OStream &json) {
    printPlace(json, row);
    json.attributeObject("args", [&] { json.attribute(key, utf8(value)); });
  });
}

void TraceEvents::sortIndex(TraceRow row, llvm::StringRef what, std::int32_t index) {
  event("M", what, [&](OStream &json) {
    printPlace(json, row);
    json.attributeObject("args", [&] { json.attribute("sort_index", index); });
  });
}

void TraceEvents::event(llvm::StringRef phase, llvm::StringRef name, llvm::function_ref<void(OStream &)> rest) {
  separate();
  OStream json(out_);
  json.object([&] {
    json.attribute("ph", phase);
    json.attribute("name", utf8(name));
    rest(json);
  });
}

void TraceEvents::separate() {
  if (any_)
    out_ << ",\n";
  any_ = true;
}

void printInstruction(llvm::json::OStream &json, const Instruction &instruction) {
  if (instruction.stage.valid())
    json.attribute("stage", instruction.stage.value());
  if (instruction.microbatch.valid())
    json.attribute("microbatch", instruction.microbatch.value());
  if (instruction.location.valid())
    json.attribute("line", instruction.location.line);
}

void printTraceDocument(llvm::raw_ostream &out, llvm::StringRef timeNote,
                        llvm::function_ref<void(TraceEvents &)> content) {
  OStream json(out);
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    if (!timeNote.empty())
      json.attributeObject("otherData", [&] { json.attribute("time", timeNote); });
    json.attributeArray("traceEvents", [&] {
      json.rawValue([&](llvm::raw_ostream &raw) {
        raw << '\n';
        TraceEvents events(raw);
        content(events);
        raw << '\n';
      });
    });
  });
  out << '\n';
}

} // namespace plumbline::report
