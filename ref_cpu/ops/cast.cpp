#include "ir/ops/cast.hpp"

#include "ir/convert.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

namespace {

/// Converts `count` elements.
using Convert = void (*)(const std::byte* from, std::byte* to, std::int64_t count);

Convert conversion(ir::DType from, ir::DType to) {
  Convert convert = nullptr;
  ir::visit_any(from, [&]<class From>(From) {
    ir::visit_any(to, [&]<class To>(To) {
      convert = [](const std::byte* source, std::byte* target, std::int64_t count) {
        const auto* const x = reinterpret_cast<const From*>(source);
        auto* const y = reinterpret_cast<To*>(target);
        for (std::int64_t i = 0; i < count; ++i) y[i] = ir::convert_value<To>(x[i]);
      };
    });
  });
  return convert;
}

}  // namespace

void run(const ir::ops::Cast&, Call& call) {
  const ir::DType from = call.in(0).dtype(), to = call.out(0).dtype();
  const Convert convert = conversion(from, to);
  const std::byte* const x = call.in(0).bytes().data();
  std::byte* const y = call.out(0).bytes().data();
  const auto x_bytes = static_cast<std::int64_t>(ir::info(from).bytes);
  const auto y_bytes = static_cast<std::int64_t>(ir::info(to).bytes);
  parallel_for(call.in(0).elements(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    convert(x + begin * x_bytes, y + begin * y_bytes, end - begin);
  });
}

}  // namespace plumb::ref_cpu
