#include "schedules/library.h"

#include "schedules/families.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::schedules {
namespace {

// By name.
constexpr const Family *families[] = {
    &oneForwardOneBackward,
    &oneForwardOneBackwardV,
    &chimera,
    &deepspeedInference,
    &deepspeedTrain,
    &dualpipe,
    &dualpipeV,
    &forwardOnly,
    &gpipe,
    &groupInterleavedZeroBubble,
    &hanayo,
    &interleavedOneForwardOneBackward,
    &interleavedZeroBubble,
    &loopedBreadthFirst,
    &pipedream,
    &pipedream2bw,
    &sequenceOneForwardOneBackward,
    &vHalf,
    &vMin,
    &zeroBubbleH1,
    &zeroBubbleH2,
    &zeroBubbleV,
};

} // namespace

llvm::ArrayRef<const Family *> library() { return families; }

const Family *findFamily(llvm::StringRef name) {
  const auto *const found = llvm::find_if(families, [&](const Family *family) { return name == family->name; });
  return found == std::end(families) ? nullptr : *found;
}

} // namespace plumbline::schedules
