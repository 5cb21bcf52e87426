// Gather-elements: every index replaces its position along the axis, one element copied for each.
#include "ir/ops/gather_elements.hpp"

#include <cstring>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/indices.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::GatherElements& op, Call& call) {
  const ir::TensorView &x = call.in(0), &indices = call.in(1);
  const auto& elements = call.kept([&] { return kernels::IndexedElements(x.shape(), indices.shape(), op.axis); });
  const ir::Lines& lines = elements.lines;
  const std::int64_t extent = x.shape()[x.shape().axis(op.axis)];
  const auto positions = kernels::positions_of(indices, [&](std::size_t) { return extent; });
  kernels::with_width(ir::info(x.dtype()).bytes, [&](auto width) {
    parallel_for(indices.elements(), 1 << 14, [&](std::int64_t i, std::int64_t end) {
      for (; i < end; ++i) {
        const std::int64_t line = i / (lines.length * lines.inner) * lines.inner + i % lines.inner;
        const std::size_t from = elements.at(line, positions[static_cast<std::size_t>(i)]);
        std::memcpy(call.out(0).bytes().data() + static_cast<std::size_t>(i) * width, x.bytes().data() + from * width,
                    width);
      }
    });
  });
}

}  // namespace plumb::ref_cpu
