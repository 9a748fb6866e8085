#include "runtime/cli/stage_choice.h"

#include "verifier/ir/text.h"

#include <dlfcn.h>

namespace plumbline::runtime {
namespace {

using StageFunction = const plumbline_stage_functions *();

Diagnostic refused(const std::string &word, const std::string &why) { return {"--stage " + word, 0, 0, why}; }

Result<const plumbline_stage_functions *> fromLibrary(const std::string &word, const std::string &library,
                                                      const std::string &name) {
  // Without a slash the loader would look for it among the system's libraries only; a file beside the user comes first.
  void *handle = ::dlopen(("./" + library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.find('/') != std::string::npos || !handle)
    handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return refused(word, std::string("cannot load the library: ") + ::dlerror());
  void *symbol = ::dlsym(handle, name.c_str());
  if (!symbol)
    return refused(word, "the library has no function " + inQuotes(name) +
                             "; expected one with C linkage that returns a const struct plumbline_stage_functions *");
  const plumbline_stage_functions *functions = reinterpret_cast<StageFunction *>(symbol)();
  if (!functions)
    return refused(word, inQuotes(name) + " returned nothing");
  return functions;
}

} // namespace

Result<const plumbline_stage_functions *>
chooseStage(const std::string &word, llvm::function_ref<const plumbline_stage_functions *(llvm::StringRef)> bundled) {
  if (const plumbline_stage_functions *functions = bundled(word))
    return functions;
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == word.size())
    return refused(word, "there is no such stage; `plumbline run --help` lists those that come with it, and a stage "
                         "of your own is LIBRARY.so:NAME");
  return fromLibrary(word, word.substr(0, colon), word.substr(colon + 1));
}

} // namespace plumbline::runtime
