#pragma once

#include <optional>
#include <span>

#include "ir/graph.hpp"
#include "parity/bounds/error_model.hpp"
#include "parity/cases/executors.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile {

/// The arithmetic of products that a unit sums in this way, for error models; in what is not known that of
/// bounds::safe_arithmetic. Operands that lose bits are not excused: a unit that multiplies f32 as TF32 exceeds its
/// limits.
bounds::Arithmetic arithmetic_of(const Products& products);

/// The arithmetic of a kernel that adds like this and computed a segment. Where a matrix unit makes some of the sums,
/// it is that of these. Without a profile, or where it does not know one of the units on the operands of the segment,
/// it is bounds::safe_arithmetic.
bounds::Arithmetic arithmetic_of(const DeviceProfile* profile, std::span<const ir::Sum> sums, const ir::Graph& segment);

/// Likewise of a kernel of somebody else's of which no sums are known. The order of its sums is unknown, and so is the
/// unit, unless the profile has measured one that nobody named: products of f16 and bf16 may be made by a matrix unit,
/// which cuts off (verdict.md V26). `operands`: the dtype that operands are stored in, where they have less than the
/// graph's.
bounds::Arithmetic unknown_arithmetic(const DeviceProfile* profile, const ir::Graph& segment,
                                      std::optional<ir::DType> operands = {});

/// The arithmetic of the candidate's kernel: unknown where it is somebody else's and no sums of it are known.
bounds::Arithmetic arithmetic_of(const cases::Executors& executors, std::span<const ir::Sum> sums,
                                 const ir::Graph& segment, std::optional<ir::DType> operands = {});

}  // namespace plumb::parity::profile
