// The library: every family that comes with Plumbline, by name.
#pragma once

#include "schedules/family/family.h"

namespace plumbline::schedules {

// All families, by name.
llvm::ArrayRef<const Family *> library();
// The family of that name; null if there is none.
const Family *findFamily(llvm::StringRef name);

} // namespace plumbline::schedules
