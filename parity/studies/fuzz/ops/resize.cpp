// Images and lines that grow and shrink, by sizes, scales or ratios.
#include "ir/ops/resize.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Resize& op, Chooser& choose) {
  op.axes = choose.one_of<Whole>({{2, 3}, {2, 3}, {-1}, {0}, {1, 2}, {0, 1}});
  op.sizes = choose.numbers(op.axes.size(), {1, 2, 3, 7, 16, 31, 33});
  op.ratios.clear();
  op.scales.clear();
  const std::uint64_t form = choose.below(4);
  if (form == 0) op.ratios = choose.numbers(2 * op.axes.size(), {1, 2, 3, 5});
  for (std::size_t i = 0; form == 1 && i < op.axes.size(); ++i)
    op.scales.push_back(choose.one_of({0.5, 0.6, 1.0, 1.7, 2.0, 3.0}));
  op.roi.clear();
  const bool has_roi = op.coordinate == ir::ops::ResizeCoordinate::tf_crop_and_resize;
  for (std::size_t i = 0; has_roi && i < 2 * op.axes.size(); ++i)
    op.roi.push_back(i < op.axes.size() ? choose.one_of({0.0, 0.25, -0.1}) : choose.one_of({0.75, 1.0, 1.3}));
  if (op.mode == ir::ops::ResizeMode::nearest) op.antialias = false;
}

}  // namespace plumb::parity::studies::fuzz
