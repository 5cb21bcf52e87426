#pragma once

#include <optional>

#include "ir/executor.hpp"
#include "ir/ops/unary.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile::probe {

/// The operands that functions of this dtype are tried on, f64 numbers that it holds: every finite
/// one of f16 and bf16; of f32 some of every binade, and the hard cases: multiples of pi/2, numbers beside
/// 0, 1, integers and halves, the ends of the range, thresholds of overflow.
std::vector<double> function_operands(ir::DType dtype);

/// The largest error of a function of reals, in ulps of the dtype at the truth, which is `reference`'s f64.
/// Where the device flushes subnormals, as `handling` says, subnormal operands and truths are not asked for, and the
/// smallest normal is allowed everywhere (ops.md 1.5). Nothing as run_op.
std::optional<FunctionError> probe_function(ir::Executor& executor, bool is_host, ir::Executor& reference,
                                            ir::ops::UnaryFunction function, const SubnormalHandling& handling,
                                            const std::vector<double>& operands);

}  // namespace plumb::parity::profile::probe
