// Roll as an index map that wraps around.
#include "ir/ops/roll.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/index_map.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Roll& op, Call& call) {
  kernels::index_map(op.map(call.in(0).type()), call.in(0).bytes(), {}, call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
