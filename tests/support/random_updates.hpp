// Ops that change a part of their first operand, with random types, shapes and indices, in place and copied.
#pragma once

#include "ir/executor.hpp"

namespace plumb::testing {

/// `count` such ops, of each kind as many. In place of a bound buffer, and of what the run computes, they have the bits
/// that `copying` gives of the op alone. An index out of range is refused and leaves the buffer as it was.
void expect_random_updates(ir::Executor& executor, ir::Executor& copying, int count);

}  // namespace plumb::testing
