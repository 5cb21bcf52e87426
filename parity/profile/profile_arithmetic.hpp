#pragma once

#include <string_view>

#include "ir/graph.hpp"
#include "parity/bounds/error_model.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile {

/// The arithmetic of products that a unit sums in this way, for error models; in what is not known that of
/// bounds::safe_arithmetic. Operands that lose bits are not excused: a unit that multiplies f32 as TF32 exceeds its
/// limits.
bounds::Arithmetic arithmetic_of(const Products& products);

/// That of the kernel that computed a segment; without a profile, or where that does not list the kernel for any
/// operands of the segment, bounds::safe_arithmetic.
bounds::Arithmetic arithmetic_of(const DeviceProfile* profile, std::string_view kernel, const ir::Graph& segment);

}  // namespace plumb::parity::profile
