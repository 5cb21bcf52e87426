// Images of one to three axes, sometimes padded.
#include "ir/ops/max_unpool.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::MaxUnpool& op, Chooser& choose) {
  op.inferred_shape = choose.numbers(1 + choose.below(3), {2, 3, 5, 8});
  op.output_shape.clear();
  if (choose.once_in(3))
    for (const std::int64_t extent : op.inferred_shape)
      op.output_shape.push_back(extent + static_cast<std::int64_t>(choose.below(3)));
}

}  // namespace plumb::parity::studies::fuzz
