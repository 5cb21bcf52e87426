#pragma once

#include "ir/op.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

/// Runs a registered op: by its author's own code where there is some, else by its body.
void run_registered(const ir::Op& op, Call& call);

}  // namespace plumb::ref_cpu
