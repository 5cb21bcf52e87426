#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "parity/compare/compare.hpp"
#include "parity/core/judged_output.hpp"

namespace plumb::parity::compare {

/// What an output may be where its class and dtype say everything: integers, and results that are
/// moved, selected or correctly rounded. Nothing for the others, which error models speak for.
std::optional<Allowed> allowed_by_class(const core::JudgedOutput& judged, ir::DType dtype);

/// Widens the limit for expectations typed as decimals, which are themselves rounded, as are the decimals
/// of the operands that they were computed from.
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
std::string mistrust(const core::JudgedOutput& judged, const Allowed& allowed, const Comparison& comparison);

}  // namespace plumb::parity::compare
