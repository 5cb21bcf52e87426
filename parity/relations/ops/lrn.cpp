// Symmetries of local response normalisation: every axis but the channels, whose neighbours count.
#include "ir/ops/lrn.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Lrn&, ir::Types in, ir::Types) {
  std::vector<AxisSymmetry> axes;
  for (std::size_t a = 0; a < in[0].shape.size(); ++a)
    if (a != 1) axes.push_back(along(in, a));
  return {.axes = axes};
}

}  // namespace plumb::parity::relations
