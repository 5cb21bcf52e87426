// Lengths that bins fit.
#include "ir/ops/welch_peaks.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::WelchPeaks& op, Chooser& choose) {
  op.fft_length = choose.number({1, 2, 7, 16, 64});
  op.k = 1 + static_cast<std::int64_t>(choose.below(static_cast<std::uint64_t>(op.fft_length / 2 + 1)));
}

}  // namespace plumb::parity::studies::fuzz
