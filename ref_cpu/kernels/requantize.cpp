// Requantises line by line. A factor is formed for each element from its scales, as it would be once for a line.
#include "ref_cpu/kernels/requantize.hpp"

#include <cmath>
#include <limits>

#include "ref_cpu/kernels/affine.hpp"
#include "ref_cpu/kernels/codes.hpp"
#include "ref_cpu/kernels/integers.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace {

/// RNE(real) + zero, saturated.
template <class Code, class C>
Code code_of(C real, std::int32_t zero) {
  if (std::isnan(real)) return static_cast<Code>(zero);
  constexpr C far = 1024;  // beyond all codes, whatever the zero point is
  const auto whole = static_cast<std::int32_t>(std::nearbyint(std::clamp(real, -far, far))) + zero;
  constexpr std::int32_t least = std::numeric_limits<Code>::min(), most = std::numeric_limits<Code>::max();
  return static_cast<Code>(std::clamp(whole, least, most));
}

template <class T, class Code>
void requantize_as(std::span<const std::int32_t> sums, const Requantization& by, const ir::MutableView& y) {
  using C = ir::compute_t<T>;
  const ir::Shape& shape = y.shape();
  const std::int64_t length = shape.back();
  const Affine<T> left(&by.left_scale.tensor, by.left_scale.shape, shape, length, C{1});
  const Affine<T> right(&by.right_scale.tensor, by.right_scale.shape, shape, length, C{1});
  const Affine<std::int32_t> bias(by.bias ? &by.bias->tensor : nullptr, by.bias ? by.bias->shape : shape, shape, length,
                                  0);
  const C y_scale = static_cast<C>(by.y_scale.as<T>()[0]);
  const std::int32_t zero = code_at(by.y_zero, 0);
  parallel_for(y.elements() / length, (1 << 15) / length + 1, [&](std::int64_t line, std::int64_t end) {
    ScratchRoom<C> own_left, own_right;
    ScratchRoom<std::int32_t> own_bias;
    for (; line < end; ++line) {
      const auto of_left = left.line(line, own_left), of_right = right.line(line, own_right);
      const auto behind = bias.line(line, own_bias);
      const std::int32_t* const from = sums.data() + line * length;
      Code* const to = y.as<Code>().data() + line * length;
      for (std::size_t i = 0; i < of_left.size(); ++i) {
        const C factor = of_left[i] * of_right[i] / y_scale;
        to[i] = code_of<Code>(static_cast<C>(wrapping_add(from[i], behind[i])) * factor, zero);
      }
    }
  });
}

}  // namespace

void requantize(std::span<const std::int32_t> sums, const Requantization& by, const ir::MutableView& y) {
  ir::visit_float(by.y_scale.dtype(), [&]<class T>(T) {
    if (y.dtype() == ir::DType::u8)
      requantize_as<T, std::uint8_t>(sums, by, y);
    else
      requantize_as<T, std::int8_t>(sums, by, y);
  });
}

}  // namespace plumb::ref_cpu::kernels
