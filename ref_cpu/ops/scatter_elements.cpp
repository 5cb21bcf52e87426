// Scatter-elements in parallel over the lines of the axis, which never meet.
#include "ir/ops/scatter_elements.hpp"

#include "ref_cpu/kernels/indices.hpp"
#include "ref_cpu/kernels/scatter.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::ScatterElements& op, Call& call) {
  const ir::Shape &x = call.in(0).shape(), &indices = call.in(1).shape();
  const auto& elements = call.kept([&] { return kernels::IndexedElements(x, indices, op.axis); });
  const ir::Lines& lines = elements.lines;
  const auto positions = kernels::positions_of(call.in(1), [n = x[x.axis(op.axis)]](std::size_t) { return n; });
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / std::max<std::int64_t>(1, lines.length));
  kernels::scatter(op.reduction, call, [&](const auto& apply) {
    parallel_for(lines.count(), grain, [&](std::int64_t line, std::int64_t end) {  // lines never meet
      for (; line < end; ++line)
        for (std::int64_t k = 0; k < lines.length; ++k)
          apply(elements.at(line, positions[lines.at(line, k)]), lines.at(line, k));
    });
  });
}

}  // namespace plumb::ref_cpu
