// One-hot: the off value everywhere, then the on value where an index is in range.
#include "ir/ops/one_hot.hpp"

#include <algorithm>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::OneHot& op, Call& call) {
  const ir::Lines lines = ir::along(call.out(0).shape(), op.axis);
  const std::byte *off = call.in(1).bytes().data(), *on = off + ir::info(call.in(1).dtype()).bytes;
  std::byte* y = call.out(0).bytes().data();
  const std::int64_t block = lines.length * lines.inner;  // elements of a block: the lines side by side
  kernels::with_width(ir::info(call.in(1).dtype()).bytes, [&](auto width) {
    const auto at = [&](std::int64_t i) { return y + static_cast<std::size_t>(i) * width; };
    ir::visit_index(call.in(0).dtype(), [&]<class T>(T) {
      const auto indices = call.in(0).as<T>();
      parallel_for(lines.outer, std::max<std::int64_t>((1 << 14) / block, 1),
                   [&](std::int64_t outer, std::int64_t end) {
                     for (; outer < end; ++outer) {
                       for (std::int64_t i = 0; i < block; ++i) std::memcpy(at(outer * block + i), off, width);
                       for (std::int64_t line = 0; line < lines.inner; ++line) {
                         const std::int64_t index = indices[static_cast<std::size_t>(outer * lines.inner + line)];
                         const std::int64_t k = index < 0 ? index + lines.length : index;
                         if (0 <= k && k < lines.length)
                           std::memcpy(at(outer * block + k * lines.inner + line), on, width);
                       }
                     }
                   });
    });
  });
}

}  // namespace plumb::ref_cpu
