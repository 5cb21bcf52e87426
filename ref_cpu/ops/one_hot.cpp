#include "ir/ops/one_hot.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::OneHot& op, Call& call) {
  const ir::Lines lines = ir::along(call.out(0).shape(), op.axis);
  const std::byte *off = call.in(1).bytes().data(), *on = off + ir::info(call.in(1).dtype()).bytes;
  std::byte* y = call.out(0).bytes().data();
  with_width(ir::info(call.in(1).dtype()).bytes, [&](auto width) {
    ir::visit_index(call.in(0).dtype(), [&]<class T>(T) {
      const auto indices = call.in(0).as<T>();
      parallel_for(call.out(0).elements(), 1 << 14, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) {
          const std::int64_t k = i / lines.inner % lines.length;
          const std::int64_t line = i / (lines.length * lines.inner) * lines.inner + i % lines.inner;
          const std::int64_t index = indices[static_cast<std::size_t>(line)];
          const bool is_on = index == k || index == k - lines.length;
          std::memcpy(y + static_cast<std::size_t>(i) * width, is_on ? on : off, width);
        }
      });
    });
  });
}

}  // namespace plumb::ref_cpu
