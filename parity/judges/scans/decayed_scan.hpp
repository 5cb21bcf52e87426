#pragma once

#include "ir/kernels/scan_states.hpp"
#include "parity/judges/scans/scan_limits.hpp"

namespace plumb::parity::judges {

/// The judge of an op that is such a scan on operands of these types.
Judge judge_of_decayed_scan(const std::function<ir::kernels::DecayedScan(ir::Types in)>& scan_of);

}  // namespace plumb::parity::judges
