#include "schedules/sweep/documented.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::schedules::sweep {
namespace {

constexpr const char *models[] = {"blocking", "nccl single", "nccl pair", "nccl directed"};

} // namespace

llvm::ArrayRef<Documented> documented() { return {}; }

llvm::ArrayRef<const char *> modelNames() { return models; }

const Documented *findDocumented(llvm::StringRef family, llvm::StringRef model, const Request &request) {
  const auto known = documented();
  const auto *const found = llvm::find_if(known, [&](const Documented &entry) {
    return family == entry.family && model == entry.model && entry.applies(request);
  });
  return found == known.end() ? nullptr : found;
}

} // namespace plumbline::schedules::sweep
