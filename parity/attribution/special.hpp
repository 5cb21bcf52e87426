#pragma once

// Classes of the NaNs and infinities of an output: who made them.

#include <array>
#include <cstdint>
#include <span>

#include "parity/cases/node_result.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::attribution {

/// A segment of a graph by its name, the tensors that it was fed, its output and the truth of that output.
struct Computed {
  std::string name;
  const ir::Graph& graph;
  const core::Segment& segment;
  std::span<const ir::TensorView> fed;
  ir::TensorView truth, got;
};

/// Whether there are NaNs, and whether there are infinities, among numbers.
struct Kinds {
  bool nan = false, infinity = false;

  bool has(cases::NonFinite kind) const { return kind == cases::NonFinite::nan ? nan : infinity; }
  bool any() const { return nan || infinity; }
};

/// Those among the operands of a node: that nodes before it gave, as the candidate computed them, and that the case has
/// itself, in inputs, params, constants and attributes.
struct OperandKinds {
  Kinds computed = {}, of_case = {};
};

/// The class of a real number by its truth, in f64, for a dtype of that format. `is_excused`: the limits of the output
/// excuse what is not finite in place of a truth that is, since intermediate results may have left the range.
cases::Special special_of(double truth, double got, const core::FloatFormat& format, const OperandKinds& operands,
                          bool is_excused);

/// The gravest class of the NaNs of an output, or of its infinities.
struct SpecialElements {
  cases::Special special = cases::Special::none;
  std::uint64_t first = 0, last = 0, count = 0;  ///< elements of that class
};

/// First the class of the NaNs, then that of the infinities; a truth beyond the dtype counts as the infinity that it is
/// rounded to.
using Specials = std::array<SpecialElements, 2>;

/// The classes of an output that was compared. Of integers and bools there are none.
Specials specials_of(const Computed& computed, const cases::Measured& measured);

cases::SpecialClass class_of(const Specials& specials);

}  // namespace plumb::parity::attribution
