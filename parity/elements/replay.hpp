#pragma once

#include <optional>

#include "parity/sums/element_limit.hpp"

namespace plumb::parity::elements {

/// Whether a kernel that adds as it says gives the very bits of `got` for this sum, which is stored as `dtype` and has
/// nothing behind it (verdict.md V20, V21). Where the compiler decides whether products are fused, one of both ways.
/// Nothing where the sum cannot be replayed: its unit is not f32's own, or its tree leaves something open.
std::optional<bool> equals_replay(const terms::ElementSum& sum, const ir::Sum& published, ir::DType dtype, double got);

}  // namespace plumb::parity::elements
