#pragma once

#include "parity/check/sketch.hpp"

namespace plumb::parity::check {

/// Demands of quantisers: one scale, those of an axis or of blocks, as attributes and x have it; positive ones; zero
/// points of the same shape, in the dtype of the codes.
void adapt_scales(const ir::Op& op, Sketch& sketch);

}  // namespace plumb::parity::check
