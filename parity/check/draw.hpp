// Shapes to try for one op: those on which kernels go wrong, as far as the op accepts them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "parity/check/extents.hpp"
#include "parity/check/sketch.hpp"

namespace plumb::parity::check {

/// An operand that is there, with its type.
struct GivenOperand {
  std::size_t operand = 0;
  ir::TensorType type = {};
};

/// The types that are to be drawn.
struct DrawOptions {
  std::optional<ir::DType> dtype =
      {};                  ///< that of all operands which accept it; none: f32 or, where the op refuses that, another
  Letters multiples = {};  ///< letters whose extents are multiples of a number, on top of the op's own
  std::uint64_t seed = 1;
  std::optional<GivenOperand> given = {};  ///< the others are drawn so that they fit it
  std::size_t more_axes = 0;               ///< beyond the usual ones, where the op takes any number of them
  double most_elements = 0x1p20;           ///< all operands together have at most so many
  double most_flops = 0x1p26;
};

/// Draws types for the operands of an op, other ones each time. Equal options give equal types on every machine.
class Shapes {
 public:
  /// Throws Error where a letter does not exist, with the nearest one, or where no operand takes the dtype.
  Shapes(ir::Op op, DrawOptions options);

  /// The next types, which the op accepts; nothing where no further ones were found. The work of a node on them, and
  /// the elements of its operands and results, are bounded.
  std::optional<ir::TensorTypes> next();

  /// The types of one drawing, of `attempts` at most, with extents of this kind as far as the op leaves them open.
  std::optional<ir::TensorTypes> of_kind(Extents kind, std::size_t attempts);

  /// Why the op refused the last shapes that were drawn; "" where it did not.
  const std::string& refusal() const { return refusal_; }

 private:
  std::optional<ir::TensorTypes> attempt(std::size_t number, std::size_t attempt);

  ir::Op op_;
  DrawOptions options_;
  std::vector<ir::DType> dtypes_;  ///< to be tried, in this order, until the op accepts one
  std::size_t number_ = 0;
  std::set<std::string> seen_;
  std::string refusal_;
};

/// So many types at most, as Shapes gives them. Throws Error where there are none, with the op's reason and what to say
/// instead (--in).
std::vector<ir::TensorTypes> draw(const ir::Op& op, const DrawOptions& options, std::size_t count);

inline constexpr std::size_t quick_count = 12;  ///< shapes of a quick sweep: every kind of extents once

}  // namespace plumb::parity::check
