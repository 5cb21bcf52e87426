#pragma once

#include <optional>

#include "parity/cases/settled.hpp"
#include "parity/elements/subject.hpp"

namespace plumb::parity::elements {

/// Open elements of one output and what is known of them: the limits of the tensor, which get those of the elements.
struct OpenElements {
  const compare::Allowed& allowed;
  std::span<const std::size_t> indices;
  std::span<const double> truth, got;
  ir::DType dtype;
  std::span<double> probable;
};

/// Puts exact limits in place of those of open elements of a node that has sums inside, by its rows (rows.hpp); nothing
/// for an op that has none. `fed` is what the segment was fed, widened.
std::optional<cases::Settled> settle_rows(const Subject& subject, const ir::Feeds& fed, const OpenElements& open);

}  // namespace plumb::parity::elements
