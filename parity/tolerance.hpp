#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "parity/compare.hpp"

namespace plumb::parity {

/// What made the output that is being judged: one op, or several that an executor fused.
struct Judged {
  ir::ErrorClass error_class = ir::ErrorClass::exact;
  std::vector<ir::TensorView> inputs;  ///< all that the candidate was fed, at its own dtypes
  bool ends_exactly = false;           ///< of several ops the last is exact: a relu makes zeros of other numbers
};

/// The error class of several ops one after the other: exact as long as all are
/// (bits where all are), else comp.
ir::ErrorClass chained(std::span<const ir::ErrorClass> classes);

/// Says that every evaluation of these operands must give the same bits, as is proved of exact twins. The sign of
/// a zero still only counts where all that was done is movement.
void hold_exactly(Judged& judged);

/// What an output may be where its class and dtype say everything: integers, and results that are
/// moved, selected or correctly rounded. Nothing for the others, which error models speak for.
std::optional<Allowed> allowed_by_class(const Judged& judged, ir::DType dtype);

/// Of an output for which somebody states decimals: they, and those of the operands that they were made
/// of, are rounded numbers, which adds to what the op itself may be off.
Allowed with_rounded_decimals(Allowed allowed, ir::DType dtype);

/// Whether the limits' rms exceeds 10^-2 of the truth's rms, beyond the rounding to the storage type:
/// that is there whatever an executor does (ops.md D.8).
bool is_too_loose(const Allowed& allowed, const Comparison& comparison);

/// Why agreement would prove nothing (ops.md D.8), or "".
///
///   zeros      more than 30 % of the truth is 0, and that share of an input too: zeros that an op
///              makes of other numbers are its work. Not asked of data that is only moved or
///              selected. A truth that is all 0 is mistrusted whatever made it.
///   constant   every element is the same, and so is every input that has several elements.
///   finite     no element of several is, so that nothing was measured.
///   tolerance  it is too loose, as above.
///
/// Outputs of less than two elements, and outputs made of nothing, are as telling as they can be.
std::string mistrust(const Judged& judged, const Allowed& allowed, const Comparison& comparison);

}  // namespace plumb::parity
