// Up to four axes.
#include "ir/ops/tile.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Tile& op, Chooser& choose) { op.repeats = choose.numbers(1 + choose.below(4), {1, 1, 2, 3, 5}); }

}  // namespace plumb::parity::studies::fuzz
