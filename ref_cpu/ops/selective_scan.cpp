// The scan of Mamba-1, with a factor for every state.
#include "ir/ops/selective_scan.hpp"

#include "ref_cpu/kernels/decayed_scan.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::SelectiveScan& op, Call& call) {
  kernels::run_decayed_scan(call.kept([&] { return op.scan(kernels::types_of(call)); }), call);
}

}  // namespace plumb::ref_cpu
