#include "verifier/cli/files.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace plumbline::cli {
namespace {

constexpr std::size_t largest = std::size_t{1} << 30;

Diagnostic problem(const std::string &name, const std::string &message) { return {name, 0, 0, message}; }

} // namespace

Result<std::string> readFile(const std::string &name) {
  const std::string shown = name == "-" ? "<stdin>" : name;
  if (name != "-" && llvm::sys::fs::is_directory(name))
    return problem(shown, "is a directory; name the schedule files in it");
  const int file = name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return problem(shown, std::string("cannot be opened: ") + std::strerror(errno));
  const auto closing = llvm::make_scope_exit([&] {
    if (file != STDIN_FILENO)
      ::close(file);
  });
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file, block, sizeof block);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return problem(shown, std::string("cannot be read: ") + std::strerror(errno));
    if (n == 0)
      return text;
    if (text.size() + static_cast<std::size_t>(n) > largest)
      return problem(shown, "is larger than 1 GiB, the most that is read");
    text.append(block, static_cast<std::size_t>(n));
  }
}

std::string writeFile(const std::string &name, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (name.empty() || name == "-") {
    write(llvm::outs());
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return "";
    const std::string why = llvm::outs().error().message();
    llvm::outs().clear_error();
    return "standard output: " + why;
  }
  // A link's target is replaced, not the link; what is no regular file (a pipe, a device) is written to as it is.
  llvm::SmallString<256> target;
  if (llvm::sys::fs::real_path(name, target)) // does not exist yet
    target = name;
  llvm::sys::fs::file_status status;
  const bool inPlace = !llvm::sys::fs::status(name, status) && !llvm::sys::fs::is_regular_file(status);
  const std::string temporary = inPlace ? name : (target + ".part").str();
  std::error_code error;
  {
    llvm::raw_fd_ostream out(temporary, error);
    if (error)
      return name + ": cannot be written: " + error.message();
    write(out);
    out.flush();
    error = out.error();
    out.clear_error();
  }
  if (!error && !inPlace)
    error = llvm::sys::fs::rename(temporary, target);
  if (!error)
    return "";
  if (!inPlace)
    llvm::sys::fs::remove(temporary);
  return name + ": cannot be written: " + error.message();
}

} // namespace plumbline::cli
