// Symmetries of convolution of lines: other axes, and linearity in lines and in the filter.
#include "ir/ops/convolve.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Convolve&, ir::Types in, ir::Types) {
  Symmetries made{.homogeneous = {{.operands = {0}, .linear = true}, {.operands = {1}, .linear = true}}, .tiled = true};
  for (std::size_t a = 0; a + 1 < in[0].shape.size(); ++a) made.axes.push_back(along(in, a));
  return made;
}

}  // namespace plumb::parity::relations
