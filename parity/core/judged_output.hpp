#pragma once

#include <span>
#include <vector>

#include "ir/op.hpp"

namespace plumb::parity::core {

/// The origin of the output that is being judged: one op, or several that an executor fused.
struct JudgedOutput {
  ir::ErrorClass error_class = ir::ErrorClass::exact;
  std::vector<ir::TensorView> inputs;  ///< all that the candidate was fed, at its own dtypes
};

/// The error class of several ops one after the other: exact as long as all are
/// (bits where all are), else comp.
ir::ErrorClass chained(std::span<const ir::ErrorClass> classes);

/// Says that every evaluation of these operands must give the same bits, as is proved of exact twins. The sign of
/// a zero still only counts where all that was done is movement.
void hold_exactly(JudgedOutput& judged);

}  // namespace plumb::parity::core
