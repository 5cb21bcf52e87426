// The scan of Mamba-2, with a factor for every head.
#include "ir/ops/mamba2.hpp"

#include "ref_cpu/kernels/decayed_scan.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Mamba2& op, Call& call) {
  kernels::run_decayed_scan(call.kept([&] { return op.scan(kernels::types_of(call)); }), call);
}

}  // namespace plumb::ref_cpu
