#include "tests/field/expect_json.h"

#include "tests/corpus/corpus.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace plumbline::testing {
namespace {

namespace json = llvm::json;

std::string text(const json::Object &object, llvm::StringRef key) { return object.getString(key).value_or("").str(); }

std::map<std::string, std::string> words(const json::Object &object, llvm::StringRef key) {
  std::map<std::string, std::string> result;
  if (const json::Object *inner = object.getObject(key))
    for (const auto &[name, value] : *inner)
      if (const auto word = value.getAsString())
        result[name.str()] = word->str();
  return result;
}

FieldLine lineOf(const json::Object &object) {
  FieldLine line{text(object, "args"), text(object, "verdict"), {}};
  for (const json::Value &rule : *object.getArray("rules"))
    line.families.push_back(rule.getAsString()->str());
  llvm::sort(line.families);
  return line;
}

std::optional<std::int64_t> mostActivationsIn(const std::string &file) {
  llvm::Expected<json::Value> parsed = json::parse(contentOf(fieldFolder + file));
  if (!parsed) {
    ADD_FAILURE() << file << ": " << llvm::toString(parsed.takeError());
    return std::nullopt;
  }
  const json::Array *limits = parsed->getAsObject()->getArray("limit_live_activations");
  if (!limits)
    return std::nullopt;
  std::int64_t most = 0;
  for (const json::Value &limit : *limits)
    most = std::max(most, *limit.getAsInteger());
  return most;
}

FieldEntry entryOf(const json::Object &object) {
  FieldEntry entry;
  entry.id = text(object, "id");
  entry.format = text(object, "format");
  const std::map<std::string, std::string> files = words(object, "files");
  for (const auto &[kind, file] : files)
    entry.files.push_back(file);
  if (const auto found = files.find("schedule"); found != files.end())
    entry.schedule = found->second;
  if (const auto found = files.find("batches"); found != files.end())
    entry.batches = found->second;
  if (const auto found = files.find("meta"); found != files.end())
    entry.mostActivations = mostActivationsIn(found->second);
  entry.communication = words(object, "communication");
  entry.otherModels = words(object, "other_models");
  if (const auto room = object.getInteger("least_room"))
    entry.leastRoom = *room;
  if (const json::Array *slots = object.getArray("buffers"))
    for (const json::Value &value : *slots) {
      const json::Object &slot = *value.getAsObject();
      entry.slots.push_back({slot.getInteger("stage").value_or(-1), slot.getInteger("declared").value_or(-1),
                             slot.getInteger("least_as_printed").value_or(-1)});
    }
  if (const json::Array *lines = object.getArray("plumbline"))
    for (const json::Value &line : *lines)
      entry.lines.push_back(lineOf(*line.getAsObject()));
  return entry;
}

} // namespace

std::vector<FieldEntry> readFieldEntries() {
  std::vector<FieldEntry> entries;
  llvm::Expected<json::Value> parsed = json::parse(contentOf(fieldFolder + "EXPECT.json"));
  if (!parsed) {
    ADD_FAILURE() << llvm::toString(parsed.takeError());
    return entries;
  }
  for (const json::Value &value : *parsed->getAsArray())
    entries.push_back(entryOf(*value.getAsObject()));
  return entries;
}

} // namespace plumbline::testing
