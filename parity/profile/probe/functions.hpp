#pragma once

#include <optional>

#include "ir/ops/unary.hpp"
#include "parity/profile/probe/inquiry.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile::probe {

/// The operands that functions of this dtype are tried on, f64 numbers that it holds: every finite
/// one of f16 and bf16; of f32 some of every binade, and the hard cases: multiples of pi/2, numbers beside
/// 0, 1, integers and halves, the ends of the range, thresholds of overflow.
std::vector<double> function_operands(ir::DType dtype);

/// A function of reals on these operands, as an executor computes it.
std::unique_ptr<Finding<ir::Tensor>> inquire_function(bool is_host, ir::ops::UnaryFunction function, ir::DType dtype,
                                                      const std::vector<double>& operands);

/// The largest error of what was computed, in ulps of the dtype at the truth, which is `reference`'s f64. Where the
/// device flushes subnormals, as `handling` says, subnormal operands and truths do not count, and the smallest normal
/// is allowed everywhere (ops.md 1.5).
FunctionError function_error(const ir::Tensor& computed, ir::Executor& reference, ir::ops::UnaryFunction function,
                             const SubnormalHandling& handling, const std::vector<double>& operands);

/// Both. Nothing as run_on_device.
std::optional<FunctionError> probe_function(ir::Executor& executor, bool is_host, ir::Executor& reference,
                                            ir::ops::UnaryFunction function, const SubnormalHandling& handling,
                                            const std::vector<double>& operands);

}  // namespace plumb::parity::profile::probe
