#pragma once

#include <optional>

#include "parity/profile/probe/dots.hpp"
#include "parity/profile/probe/inquiry.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile::probe {

/// Finds how the unit of the kernel that the executor takes for products of this dtype and shape sums them. The unit
/// and its accumulator are what the kernel publishes, `either` in f32 where it publishes nothing.
///
/// Where sums begin (lanes, chunks) is seen with numbers that absorb one another whatever the
/// arithmetic, in the manner of FPRev (Xie et al., arXiv 2411.00442). The arithmetic is found by elimination: of
/// all models that Products allows, those that do not replay every sum bit for bit are struck out.
/// Properties on which the rest agree are known, the others are not. Sums that do not come out in the levels that the
/// kernel publishes are those of no known unit. Nothing when the executor cannot run it, or only on the host in place
/// of the device, or by units that differ from one experiment to the next.
std::unique_ptr<Finding<Products>> inquire_products(bool is_host, ir::DType operands, ProductShape shape);
std::optional<Products> probe_products(ir::Executor& executor, bool is_host, ir::DType operands, ProductShape shape);

}  // namespace plumb::parity::profile::probe
