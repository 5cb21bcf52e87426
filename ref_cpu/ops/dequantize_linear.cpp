// Products of codes and scales in f64, which holds those of f32 scales and 16 bits; they are rounded once.
#include "ir/ops/dequantize_linear.hpp"

#include <array>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::kernels::CodeFormat;

/// The numbers of all float codes, by code.
std::array<double, 256> numbers_of_codes(CodeFormat format) {
  const ir::kernels::SmallFloat small = ir::kernels::small_float(format);
  std::array<double, 256> numbers{};
  for (int code = 0; code < 256; ++code) numbers[static_cast<std::size_t>(code)] = small.number(code);
  return numbers;
}

template <class Q, class Y>
void from_codes(const ir::ops::DequantizeLinear& op, Call& call) {
  const auto& map = call.kept(
      [&] { return *ir::kernels::scale_map(call.in(0).shape(), call.in(1).shape(), op.axis, op.block_size); });
  const auto scale = kernels::converted<double>(call.in(1));
  const auto q = call.in(0).as<Q>();
  const auto zero = op.has_zero_point ? call.in(2).as<Q>() : q.first(0);
  const auto y = call.out(0).as<Y>();
  const bool is_integer = op.code == CodeFormat::integer;
  const std::array<double, 256> numbers = is_integer ? std::array<double, 256>{} : numbers_of_codes(op.code);
  parallel_for(call.in(0).elements(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto own = static_cast<std::size_t>(map.is_one() ? 0 : map(i)), at = static_cast<std::size_t>(i);
      const std::int64_t whole = std::int64_t{q[at]} - (zero.empty() ? 0 : zero[own]);
      const double number = is_integer ? static_cast<double>(whole) : numbers[static_cast<std::uint8_t>(q[at])];
      y[at] = static_cast<Y>(number * scale[own]);
    }
  });
}

}  // namespace

void run(const ir::ops::DequantizeLinear& op, Call& call) {
  ir::visit_integer(call.in(0).dtype(), [&]<class Q>(Q) {
    if constexpr (ir::ops::DequantizeLinear::codes.contains(ir::dtype_of<Q>))
      ir::visit_float(call.out(0).dtype(), [&]<class Y>(Y) { from_codes<Q, Y>(op, call); });
  });
}

}  // namespace plumb::ref_cpu
