#include "verifier/compare/pairing.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <string_view>

namespace plumbline::compare {
namespace {

// By name, since the first of several equal contents is paired with the first of the others.
std::map<std::string_view, std::size_t> byName(llvm::ArrayRef<NamedContent> files) {
  std::map<std::string_view, std::size_t> result;
  for (const auto &[k, file] : llvm::enumerate(files))
    result.emplace(file.name, k);
  return result;
}

} // namespace

std::vector<FilePair> pairFiles(llvm::ArrayRef<NamedContent> base, llvm::ArrayRef<NamedContent> next) {
  std::map<std::string_view, std::size_t> removed = byName(base), added;
  std::map<std::string_view, FilePair> pairs; // by the name that sorts them
  for (const auto &[name, k] : byName(next)) {
    const auto same = removed.find(name);
    if (same == removed.end()) {
      added.emplace(name, k);
      continue;
    }
    const bool equal = !next[k].content.empty() && base[same->second].content == next[k].content;
    pairs.emplace(name, FilePair{same->second, k, equal});
    removed.erase(same);
  }
  std::map<std::string_view, std::vector<std::string_view>> removedContents; // the first name last
  for (const auto &[name, k] : llvm::reverse(removed))
    if (!base[k].content.empty())
      removedContents[base[k].content].push_back(name);
  for (const auto &[name, k] : added) {
    const auto same = removedContents.find(next[k].content);
    if (same == removedContents.end() || same->second.empty()) {
      pairs.emplace(name, FilePair{std::nullopt, k, false});
      continue;
    }
    const auto old = removed.find(same->second.back());
    pairs.emplace(name, FilePair{old->second, k, true});
    removed.erase(old);
    same->second.pop_back();
  }
  for (const auto &[name, k] : removed)
    pairs.emplace(name, FilePair{k, std::nullopt, false});
  std::vector<FilePair> result;
  result.reserve(pairs.size());
  for (const auto &[name, pair] : pairs)
    result.push_back(pair);
  return result;
}

} // namespace plumbline::compare
