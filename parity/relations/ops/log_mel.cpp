// Symmetries of the log-mel spectrogram: spectrograms and, by a maximum of their own or in any order, frames; bands and
// bins in any order.
#include "ir/ops/log_mel.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::LogMel& op, ir::Types in, ir::Types) {
  const std::size_t rank = in[0].shape.size();
  Symmetries made{.tiled = true};
  for (std::size_t a = 0; a + 1 < rank; ++a) {
    made.axes.push_back(along(in, a));
    made.axes.back().independent = a + 2 < rank || op.maximum == ir::ops::MelMaximum::frame;
  }
  made.axes.push_back({.out = rank - 1, .in = {Axis(), 0}, .independent = false});
  made.axes.push_back(summed({rank - 1, 1}));
  return made;
}

}  // namespace plumb::parity::relations
