// Quotients by scales, rounded to codes; in f64 where x or a scale is.
#include "ir/ops/quantize_linear.hpp"

#include <algorithm>
#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::kernels::CodeFormat;

/// The code of a quotient by its zero point.
class LinearCoder {
 public:
  explicit LinearCoder(const ir::ops::QuantizeLinear& op)
      : is_integer_(op.code == CodeFormat::integer),
        saturates_(op.saturate),
        range_(ir::kernels::code_range(op.dtype, op.bits)),
        format_(ir::kernels::small_float(op.code)) {}

  template <class C>
  std::int64_t operator()(C quotient, std::int64_t zero) const {
    if (!is_integer_) return format_.nearest(quotient, saturates_);
    if (std::isnan(quotient)) return std::clamp(zero, range_.least, range_.most);
    // Wider than any two codes are apart, so that the sum is exact before it saturates.
    const C whole = std::clamp(std::nearbyint(quotient), C{-0x1p20}, C{0x1p20});
    return std::clamp(static_cast<std::int64_t>(whole) + zero, range_.least, range_.most);
  }

 private:
  bool is_integer_, saturates_;
  ir::kernels::CodeRange range_;
  ir::kernels::SmallFloat format_;
};

template <class X>
void to_codes(const ir::ops::QuantizeLinear& op, std::span<const X> x, Call& call) {
  using C = ir::compute_t<X>;
  const auto& map = call.kept(
      [&] { return *ir::kernels::scale_map(call.in(0).shape(), call.in(1).shape(), op.axis, op.block_size); });
  const auto scale = kernels::converted<C>(call.in(1));
  ScratchRoom<std::int32_t> zero;
  if (op.has_zero_point) zero = kernels::converted<std::int32_t>(call.in(2));
  const LinearCoder coder(op);
  ir::visit_integer(op.dtype, [&]<class Y>(Y) {
    if constexpr (sizeof(Y) <= 2) {
      const auto y = call.out(0).as<Y>();
      parallel_for(call.in(0).elements(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const auto own = static_cast<std::size_t>(map.is_one() ? 0 : map(i)), at = static_cast<std::size_t>(i);
          y[at] = static_cast<Y>(coder(static_cast<C>(x[at]) / scale[own], op.has_zero_point ? zero[own] : 0));
        }
      });
    }
  });
}

}  // namespace

void run(const ir::ops::QuantizeLinear& op, Call& call) {
  const bool is_wide = call.in(1).dtype() == ir::DType::f64;
  if (is_wide && call.in(0).dtype() != ir::DType::f64)
    return to_codes<double>(op, kernels::converted<double>(call.in(0)), call);
  ir::visit_float(call.in(0).dtype(), [&]<class X>(X) { to_codes<X>(op, call.in(0).as<X>(), call); });
}

}  // namespace plumb::ref_cpu
