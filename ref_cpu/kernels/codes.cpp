// Codes less their zero points, line by line along the last axis.
#include "ref_cpu/kernels/codes.hpp"

#include "ref_cpu/kernels/strides.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace {

/// The first zero point of a line of the codes, along whose axes they lie by these strides.
std::int64_t first_of(std::int64_t line, const ir::Shape& codes, const Strides& strides) {
  std::int64_t at = 0;
  for (std::size_t axis = codes.size(); axis-- > 1;) {
    at += line % codes[axis - 1] * strides[axis - 1];
    line /= codes[axis - 1];
  }
  return at;
}

template <class T>
void subtract(const ir::TensorView& codes, const ir::TensorView* zero, const Strides& strides, std::int32_t* out) {
  const T* const from = codes.as<T>().data();
  const T none = 0;
  const T* const zeros = zero == nullptr ? &none : zero->as<T>().data();
  const ir::Shape& shape = codes.shape();
  const std::int64_t length = shape.empty() ? 1 : shape.back(), step = shape.empty() ? 0 : strides[shape.size() - 1];
  parallel_for(codes.elements() / length, (1 << 16) / length + 1, [&](std::int64_t line, std::int64_t end) {
    for (; line < end; ++line) {
      const T* const own = zeros + first_of(line, shape, strides);
      const T* const x = from + line * length;
      std::int32_t* const y = out + line * length;
      if (step == 0)
        for (std::int64_t i = 0; i < length; ++i) y[i] = x[i] - own[0];
      else
        for (std::int64_t i = 0; i < length; ++i) y[i] = x[i] - own[i * step];
    }
  });
}

}  // namespace

ScratchRoom<std::int32_t> centred(const ir::TensorView& codes, const ir::TensorView* zero,
                                  const ir::Shape& zero_shape) {
  ScratchRoom<std::int32_t> numbers(static_cast<std::size_t>(codes.elements()));
  if (numbers.empty()) return numbers;
  const Strides strides = zero == nullptr ? Strides{} : strides_within(zero_shape, codes.shape());
  if (codes.dtype() == ir::DType::u8)
    subtract<std::uint8_t>(codes, zero, strides, numbers.data());
  else
    subtract<std::int8_t>(codes, zero, strides, numbers.data());
  return numbers;
}

}  // namespace plumb::ref_cpu::kernels
