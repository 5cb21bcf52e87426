// Gather of rows by memcpy, of a constant width where rows are as short as one word.
#include "ir/ops/gather.hpp"

#include <bit>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/indices.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Gather& op, Call& call) {
  const ir::TensorView& x = call.in(0);
  const auto lines = ir::along(x.shape(), op.axis);
  const auto rows = kernels::positions_of(call.in(1), [&](std::size_t) { return lines.length; });
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::size_t bytes = static_cast<std::size_t>(lines.inner) * ir::info(x.dtype()).bytes;

  const auto copy_all = [&](auto width) {  // a constant where it can be
    const auto each = static_cast<std::int64_t>(std::size_t{width});
    parallel_for(lines.outer * count, std::max((1 << 16) / each, std::int64_t{1}),
                 [&](std::int64_t i, std::int64_t end) {
                   for (; i < end; ++i) {
                     const std::int64_t row = i / count * lines.length + rows[static_cast<std::size_t>(i % count)];
                     std::memcpy(call.out(0).bytes().data() + i * each, x.bytes().data() + row * each, width);
                   }
                 });
  };
  if (bytes <= 16 && std::has_single_bit(bytes))
    kernels::with_width(bytes, copy_all);
  else
    copy_all(bytes);
}

}  // namespace plumb::ref_cpu
