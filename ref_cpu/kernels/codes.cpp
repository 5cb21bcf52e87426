// Codes less their zero points, line by line along the last axis.
#include "ref_cpu/kernels/codes.hpp"

#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace {

/// Where zero points lie, by the axes of the codes.
struct ZeroPoints {
  std::vector<std::int64_t> strides;

  /// The first one of a line of the codes.
  std::int64_t first(std::int64_t line, const ir::Shape& codes) const {
    std::int64_t at = 0;
    for (std::size_t axis = codes.size(); axis-- > 1;) {
      at += line % codes[axis - 1] * strides[axis - 1];
      line /= codes[axis - 1];
    }
    return at;
  }
  std::int64_t along_line() const { return strides.empty() ? 0 : strides.back(); }
};

template <class T>
void subtract(const ir::TensorView& codes, const ir::TensorView* zero, const ZeroPoints& points, std::int32_t* out) {
  const T* const from = codes.as<T>().data();
  const T none = 0;
  const T* const zeros = zero == nullptr ? &none : zero->as<T>().data();
  const ir::Shape& shape = codes.shape();
  const std::int64_t length = shape.empty() ? 1 : shape.back(), step = points.along_line();
  parallel_for(codes.elements() / length, (1 << 16) / length + 1, [&](std::int64_t line, std::int64_t end) {
    for (; line < end; ++line) {
      const T* const own = zeros + points.first(line, shape);
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

ir::Tensor centred(const ir::TensorView& codes, const ir::TensorView* zero, const ir::Shape& zero_shape) {
  ir::Tensor numbers({ir::DType::i32, codes.shape()});
  if (codes.elements() == 0) return numbers;
  ZeroPoints points{std::vector<std::int64_t>(codes.shape().size(), 0)};
  if (zero != nullptr) points.strides = ir::broadcast_strides(zero_shape, codes.shape());
  std::int32_t* const out = numbers.as<std::int32_t>().data();
  if (codes.dtype() == ir::DType::u8)
    subtract<std::uint8_t>(codes, zero, points, out);
  else
    subtract<std::int8_t>(codes, zero, points, out);
  return numbers;
}

}  // namespace plumb::ref_cpu::kernels
