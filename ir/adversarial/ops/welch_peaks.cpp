// Power of a bin in all segments.
#include "ir/ops/welch_peaks.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::WelchPeaks&, Types in, std::size_t, Use& use) { use.axes = {in[0].shape.size() - 2}; }

}  // namespace plumb::ir::adversarial
