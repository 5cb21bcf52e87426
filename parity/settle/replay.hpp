#pragma once

#include <optional>

#include "parity/sums/element_limit.hpp"

namespace plumb::parity::settle {

/// Whether a kernel that adds as it says gives `got` for this sum: the very bits where the sum is only stored, as
/// `dtype`; where it is scaled, divided or added to, what that may round from the replayed sum (verdict.md V20, V21).
/// Where the compiler decides whether products are fused, one of both ways. Nothing where the sum cannot be replayed:
/// its unit is neither f32's own nor, for one chain, f16's, or its tree leaves something open.
std::optional<bool> equals_replay(const element::terms::ElementSum& sum, const ir::Sum& published, ir::DType dtype,
                                  double got);

/// Whether all that a sum may be off comes from adding its terms: no factor is off itself, as a sum of an inner step
/// is, and nothing on the way is so small, below `flushed`, that a device may make it 0.
bool is_plain(const element::terms::ElementSum& sum, double truth, double flushed);

/// Whether such a sum is only stored, so that a kernel which adds as it says gives the very bits of a replay.
bool gives_the_very_bits(const element::terms::ElementSum& sum, double truth, double flushed);

/// A number of f32 as a kernel stores it, and as f64.
double stored_as(ir::DType dtype, double x);

/// The sum of products a·b in f32 as a kernel adds that says so, but that lanes and shuffles meet in the order of their
/// numbers; `fused` decides where the record leaves that to the compiler. Nothing where the sum cannot be replayed.
std::optional<float> replayed(std::span<const float> a, std::span<const float> b, ir::Sum published, bool fused);

}  // namespace plumb::parity::settle
