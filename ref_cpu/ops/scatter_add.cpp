// Scatter-add in the order of the updates, in parallel over columns, which never meet.
#include "ir/ops/scatter_add.hpp"

#include "ref_cpu/kernels/indices.hpp"
#include "ref_cpu/kernels/scatter.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::ScatterAdd& op, Call& call) {
  const auto lines = ir::along(call.out(0).shape(), op.axis);
  const auto rows = kernels::positions_of(call.in(1), [&](std::size_t) { return lines.length; });
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto each = [&](const auto& apply) {
    constexpr std::int64_t together = 256;  // neighbouring columns, walked as memory is
    const std::int64_t across = (lines.inner + together - 1) / together;
    parallel_for(lines.outer * across, 1, [&](std::int64_t block, std::int64_t end) {
      for (; block < end; ++block) {
        const std::int64_t a = block / across, begin = block % across * together;
        const std::int64_t columns = std::min(together, lines.inner - begin);
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t row = rows[static_cast<std::size_t>(i)];
          const std::int64_t to = (a * lines.length + row) * lines.inner + begin;
          const std::int64_t from = (a * count + i) * lines.inner + begin;
          for (std::int64_t j = 0; j < columns; ++j)
            apply(static_cast<std::size_t>(to + j), static_cast<std::size_t>(from + j));
        }
      }
    });
  };
  const std::span<std::byte> y = call.out(0).bytes();
  parallel_for(static_cast<std::int64_t>(y.size()), 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    std::memset(y.data() + begin, 0, static_cast<std::size_t>(end - begin));
  });
  ir::visit_number(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    kernels::with_reduction<C>(ir::kernels::ScatterReduction::add, [&](const auto& f) {
      kernels::reduce_into(call.out(0).as<T>(), call.in(0).as<T>(), each, f);
    });
  });
}

}  // namespace plumb::ref_cpu
