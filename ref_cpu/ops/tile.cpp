// Tile as an index map that repeats.
#include "ir/ops/tile.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/index_map.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Tile& op, Call& call) {
  const auto& map = call.kept([&] { return kernels::PlannedMap(op.map(call.in(0).type(), call.out(0).shape())); });
  kernels::index_map(map, call.in(0).bytes(), {}, call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
