// Padding as an index map with the fill value.
#include "ir/ops/pad.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/index_map.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Pad& op, Call& call) {
  const auto fill = op.has_value ? call.in(1).bytes() : std::span<const std::byte>();
  const auto& map = call.kept([&] { return kernels::PlannedMap(op.map(call.in(0).type(), call.out(0).shape())); });
  kernels::index_map(map, call.in(0).bytes(), fill, call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
