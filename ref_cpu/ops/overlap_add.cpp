// Overlap-add line by line, window after window, in the compute type and rounded once.
#include "ir/ops/overlap_add.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::OverlapAdd& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const std::int64_t windows = shape[shape.size() - 2], size = shape.back(), length = op.length;
  if (length == 0) return;
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> x(call.in(0));
    T* const y = call.out(0).as<T>().data();
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 16) / (windows * size + length));
    parallel_for(call.out(0).shape().elements() / length, grain, [&](std::int64_t line, std::int64_t end) {
      for (; line < end; ++line) {
        ScratchVector<C> sums(static_cast<std::size_t>(length), C{0});
        for (std::int64_t f = 0; f < windows; ++f) {
          const C* const window = x.data() + (line * windows + f) * size;
          C* const sum = sums.data() + f * op.hop;
          for (std::int64_t i = 0; i < size; ++i) sum[i] += window[i];
        }
        std::ranges::transform(sums, y + line * length, [](C sum) { return static_cast<T>(sum); });
      }
    });
  });
}

}  // namespace plumb::ref_cpu
