#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "parity/compare/compare.hpp"
#include "parity/core/judged_output.hpp"

namespace plumb::parity::compare {

/// The limit of an output where its class and dtype say everything: integers, and results that are
/// moved, selected or correctly rounded. Nothing for the others, which error models speak for.
std::optional<Allowed> allowed_by_class(const core::JudgedOutput& judged, ir::DType dtype);

/// A limit above this share of the scale of its numbers proves nothing (verdict.md V39).
inline constexpr double loosest_of_scale = 1e-2;
/// Likewise of a line of subnormal numbers that are kept: a 0 in their place would be seen.
inline constexpr double loosest_of_subnormals = 0.5;

/// The limit of an element that may be anything, such as the logarithm of a sum that may be off by more than half of
/// itself (verdict.md V32). Of one that is apart besides it says why.
inline constexpr double anything = 0x1p+100;

/// Whether the limits' rms exceeds 10^-2 of the truth's rms, beyond the rounding to the storage type:
/// that is there whatever an executor does (ops.md D.8).
bool is_too_loose(const Allowed& allowed, const Comparison& comparison);

}  // namespace plumb::parity::compare
