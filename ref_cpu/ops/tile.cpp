// Tile as an index map that repeats.
#include "ir/ops/tile.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/index_map.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Tile& op, Call& call) {
  kernels::index_map(op.map(call.in(0).type(), call.out(0).shape()), call.in(0).bytes(), {}, call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
