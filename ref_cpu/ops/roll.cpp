// Roll as an index map that wraps around.
#include "ir/ops/roll.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/index_map.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Roll& op, Call& call) {
  const auto& map = call.kept([&] { return kernels::PlannedMap(op.map(call.in(0).type())); });
  kernels::index_map(map, call.in(0).bytes(), {}, call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
