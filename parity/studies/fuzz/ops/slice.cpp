// Boxes that begin anywhere, with steps of both signs.
#include "ir/ops/slice.hpp"

#include <algorithm>

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Slice& op, Chooser& choose) {
  op.axes = choose.one_of<Whole>({{0}, {1}, {0, 1}, {2}, {0, 2}});
  op.sizes = choose.numbers(op.axes.size(), {0, 1, 2, 7, 16});
  op.steps = choose.numbers(op.axes.size(), {1, 1, 2, 3, -1, -2});
  op.starts.clear();
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const std::int64_t room = op.steps[i] < 0 ? -op.steps[i] * (op.sizes[i] - 1) : 0;
    op.starts.push_back(std::max<std::int64_t>(room, 0) + choose.number({0, 0, 1, 3}));
  }
}

}  // namespace plumb::parity::studies::fuzz
