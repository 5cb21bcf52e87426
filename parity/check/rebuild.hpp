#pragma once

#include "parity/check/sketch.hpp"

namespace plumb::parity::check {

/// Describes the operands anew of ops whose attributes say more of their shapes than the text of their operands: axes
/// of products by number or letter, boxes, shapes of results.
void rebuild(const ir::Op& op, Sketch& sketch);

}  // namespace plumb::parity::check
