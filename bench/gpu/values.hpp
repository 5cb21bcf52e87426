#pragma once

#include "bench/gpu/case.hpp"
#include "ir/executor.hpp"

namespace plumb::bench {

/// Random numbers for every input and param of a case, the same on every call. Those of a
/// large tensor repeat after a prime count of elements, so that no two rows are alike and
/// making them takes no longer than copying.
ir::Feeds values_for(const Case& one);

}  // namespace plumb::bench
