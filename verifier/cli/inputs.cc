#include "verifier/cli/inputs.h"

#include "verifier/cli/path_pattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace plumbline::cli {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

constexpr llvm::StringRef batchesEnd = ".batches.csv";

bool looksLikeSchedule(llvm::StringRef name) {
  return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{".csv", ".txt", ".json", ".pir"},
                      [&](llvm::StringRef end) { return name.ends_with(end); });
}

std::string joined(llvm::StringRef folder, llvm::StringRef name) {
  if (folder.empty())
    return name.str();
  return (folder.ends_with("/") ? folder + name : folder + "/" + name).str();
}

struct Entry {
  std::string path;     // below the begin
  bool special = false; // a pipe, a socket or a device, or a link to one: reading it may never end
};

struct Walk {
  std::vector<Entry> files;
  std::vector<std::string> folders;
  std::string wrong; // the first thing that cannot be read
};

// What a link that leads nowhere means is found when it is opened.
bool isSpecial(fs::file_type type) {
  return type != fs::file_type::regular_file && type != fs::file_type::file_not_found;
}

// Everything below `root` but what begins with a dot or is excluded, at most `depth` levels deep.
void walk(const std::string &root, const std::string &below, std::size_t depth, llvm::ArrayRef<std::string> excluded,
          Walk &result) {
  const std::string here = below.empty() ? root : joined(root, below);
  std::error_code error;
  fs::directory_iterator entry(here.empty() ? "." : here, error, /*follow_symlinks=*/false);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    const llvm::StringRef name = path::filename(entry->path());
    const std::string found = joined(below, name);
    if (name.starts_with(".") ||
        llvm::any_of(excluded, [&](const std::string &pattern) { return excludesPath(pattern, found); }))
      continue;
    fs::file_status own, target;
    if (const std::error_code unknown = fs::status(entry->path(), own, /*follow=*/false)) {
      if (result.wrong.empty())
        result.wrong = entry->path() + ": cannot be read: " + unknown.message();
      continue;
    }
    if (fs::status(entry->path(), target))
      target = fs::file_status(fs::file_type::file_not_found);
    if (own.type() == fs::file_type::directory_file) {
      result.folders.push_back(found);
      if (depth > 1)
        walk(root, found, depth - 1, excluded, result);
    } else if (target.type() != fs::file_type::directory_file) {
      result.files.push_back({found, isSpecial(target.type())});
    }
  }
  if (error && result.wrong.empty())
    result.wrong = (here.empty() ? "." : here) + ": cannot be read: " + error.message();
}

class Finder {
public:
  Finder(llvm::ArrayRef<std::string> names, const InputRules &rules) : names_(names), rules_(rules) {
    named_.insert(names.begin(), names.end());
  }

  std::vector<Input> run() {
    for (const std::string &name : names_)
      if (name != "-" && fs::is_directory(name))
        addFolder(name);
      else if (name != "-" && isPattern(name) && !fs::exists(name))
        addPattern(name);
      else
        addNamed(name);
    return std::move(found_);
  }

private:
  void addNamed(const std::string &name) {
    if (rules_.pairBatches && isPartOf(name, [&](const std::string &other) { return named_.contains(other); }))
      return;
    Input input{name, "", path::filename(name).str(), ""};
    if (rules_.pairBatches && llvm::StringRef(name).ends_with(".csv"))
      if (const std::string batches = batchesOf(name); fs::exists(batches))
        input.batches = batches;
    found_.push_back(std::move(input));
    listed_.insert(name);
  }

  void addFolder(const std::string &name) {
    std::string wrong;
    const bool any = addSchedulesIn(name, "", wrong);
    if (!wrong.empty())
      addWrong(name, wrong);
    else if (!any)
      addWrong(name, holdsNoSchedules);
  }

  // Of a folder below `root`. Returns whether there are any; sets `wrong` if something cannot be read.
  bool addSchedulesIn(const std::string &root, const std::string &folder, std::string &wrong) {
    Walk all;
    walk(root, folder, SIZE_MAX, rules_.excluded, all);
    if (wrong.empty())
      wrong = all.wrong;
    return addAll(root, all, [](const std::string &file) { return looksLikeSchedule(file); });
  }

  // A folder that matches means what is in it.
  void addPattern(const std::string &pattern) {
    const std::size_t special = pattern.find_first_of("*?[");
    const std::size_t slash = pattern.rfind('/', special);
    const std::string root = slash == std::string::npos ? "" : pattern.substr(0, slash + 1);
    const std::string rest = pattern.substr(root.size());
    const auto levels = static_cast<std::size_t>(llvm::count(rest, '/')) + 1;
    Walk all;
    walk(root, "", llvm::StringRef(rest).contains("**") ? SIZE_MAX : levels, rules_.excluded, all);
    bool any = addAll(root, all, [&](const std::string &file) { return matchesPath(rest, file); });
    llvm::sort(all.folders);
    for (const std::string &folder : all.folders)
      if (matchesPath(rest, folder))
        any |= addSchedulesIn(root, folder, all.wrong);
    if (!all.wrong.empty())
      addWrong(pattern, all.wrong);
    else if (!any)
      addWrong(pattern, "matches no file");
  }

  // Returns whether any of the files is wanted, listed before or not.
  template <typename Wanted> bool addAll(const std::string &root, Walk &all, Wanted wanted) {
    llvm::sort(all.files, [](const Entry &a, const Entry &b) { return a.path < b.path; });
    llvm::StringMap<bool> there; // and whether one can read it
    for (const std::string &folder : all.folders)
      there[folder] = false;
    for (const Entry &file : all.files)
      there[file.path] = !file.special;
    const auto exists = [&](const std::string &file) { return there.contains(file); };
    bool any = false;
    for (const Entry &file : all.files) {
      if (!wanted(file.path) || isPartOf(file.path, exists))
        continue;
      any = true;
      const std::string whole = joined(root, file.path);
      if (!listed_.insert(whole).second)
        continue;
      const bool fused = llvm::StringRef(file.path).ends_with(".csv") && exists(batchesOf(file.path));
      Input input{whole, fused ? batchesOf(whole) : "", file.path, ""};
      if (file.special)
        input.wrong = "is a pipe, a socket or a device; name it by itself to read it";
      else if (fused && !there[batchesOf(file.path)])
        input.wrong = "has its fused launches in " + input.batches + ", which is no file";
      found_.push_back(std::move(input));
    }
    return any;
  }

  void addWrong(const std::string &name, std::string wrong) { found_.push_back({name, "", name, std::move(wrong)}); }

  static std::string batchesOf(llvm::StringRef csv) { return (csv.drop_back(4) + batchesEnd).str(); }

  // Is this the file with the fused launches of another one that is there?
  template <typename Exists> static bool isPartOf(llvm::StringRef file, Exists exists) {
    return file.ends_with(batchesEnd) && exists((file.drop_back(batchesEnd.size()) + ".csv").str());
  }

  llvm::ArrayRef<std::string> names_;
  const InputRules &rules_;
  llvm::StringSet<> named_, listed_;
  std::vector<Input> found_;
};

} // namespace

std::vector<Input> findInputs(llvm::ArrayRef<std::string> names, const InputRules &rules) {
  return Finder(names, rules).run();
}

} // namespace plumbline::cli
