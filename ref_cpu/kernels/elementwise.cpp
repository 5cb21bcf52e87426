// Walks broadcast operands in stretches of one row, for all elementwise kernels, so that it is compiled once.
#include "ref_cpu/kernels/elementwise.hpp"

#include "ir/kernels/broadcast.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels::detail {

void for_each_stretch(Call& call, std::span<const ir::DType> types, StretchFunction compute, const void* f) {
  const std::size_t operands = types.size() - 1;
  std::array<const std::byte*, Stretch::most> first = {};
  std::array<std::int64_t, Stretch::most> bytes = {};
  for (std::size_t k = 0; k < operands; ++k) {
    const ir::TensorView& x = call.in(k);
    ir::require(x.dtype() == types[k + 1], "operand is ", x.dtype(), ", read as ", types[k + 1]);
    first[k] = x.bytes().data();
    bytes[k] = static_cast<std::int64_t>(ir::info(x.dtype()).bytes);
  }
  const ir::MutableView& y = call.out(0);
  ir::require(y.dtype() == types[0], "result is ", y.dtype(), ", written as ", types[0]);
  const auto result_bytes = static_cast<std::int64_t>(ir::info(y.dtype()).bytes);
  const auto& loops = call.kept([&] {
    std::vector<ir::Shape> shapes;
    for (std::size_t k = 0; k < operands; ++k) shapes.push_back(call.in(k).shape());
    return ir::kernels::broadcast_loops(y.shape(), shapes);
  });
  const std::span<const ir::kernels::BroadcastAxis> slower(loops.axes.data(), loops.axes.size() - 1);
  const std::int64_t length = loops.row().extent;
  std::array<std::int64_t, Stretch::most> row_strides = {};
  std::ranges::copy(loops.row().strides, row_strides.begin());
  parallel_for(y.elements(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    Stretch stretch;
    // Some operand of a longer row has an element for each of the result's, so that not all are stretched.
    for (std::size_t k = 0; k < operands; ++k) stretch.dense[k] = length == 1 || row_strides[k] != 0;
    for (std::int64_t i = begin, count = 0; i < end; i += count) {
      std::int64_t line = i / length;
      const std::int64_t within = i - line * length;
      count = std::min(length - within, end - i);
      std::array<std::int64_t, Stretch::most> offsets = {};
      for (std::size_t k = 0; k < operands; ++k) offsets[k] = within * row_strides[k];
      for (std::size_t axis = slower.size(); axis-- > 0; line /= slower[axis].extent) {
        const std::int64_t index = axis == 0 ? line : line % slower[axis].extent;
        for (std::size_t k = 0; k < operands; ++k) offsets[k] += index * slower[axis].strides[k];
      }
      for (std::size_t k = 0; k < operands; ++k) stretch.x[k] = first[k] + offsets[k] * bytes[k];
      stretch.y = y.bytes().data() + i * result_bytes;
      stretch.n = static_cast<std::size_t>(count);
      compute(f, stretch);
    }
  });
}

}  // namespace plumb::ref_cpu::kernels::detail
