#pragma once

// An op by chance, on operands that it accepts.

#include <optional>

#include "parity/check/draw.hpp"
#include "parity/studies/fuzz/chooser.hpp"

namespace plumb::parity::studies::fuzz {

/// An op, and the types of its operands and results.
struct DrawnOp {
  ir::Op op;
  ir::TensorTypes in, out;
};

/// The place that an op is drawn for.
struct Wanted {
  std::optional<check::GivenOperand> given = {};  ///< one of its operands
  std::optional<ir::TensorType> result = {};      ///< the type of its first result
  bool is_small = false;                          ///< no very long axis, as is right for one of many nodes
  unsigned tries = 1;                             ///< how many draws of attributes there are
};

/// Draws attributes and types. Nothing where no try gave what is wanted.
std::optional<DrawnOp> draw_op(const ir::OpSchema& schema, const Wanted& wanted, Chooser& choose);

/// Whether any numbers of its dtype suit the operand: no indices or variances, nothing that needs a fill of its own.
bool takes_any(const DrawnOp& drawn, std::size_t operand);

}  // namespace plumb::parity::studies::fuzz
