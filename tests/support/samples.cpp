#include "tests/support/samples.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace plumb::testing {
namespace {

constexpr float edges[] = {
    0,
    0x1p-149f,
    1e-40f,
    0x1p-127f,
    0x1.fffffcp-127f,
    0x1p-126f,
    0x1.fffffep127f,
    1e-20f,
    1e20f,
    0.25f,
    0.5f,
    1,
    2,
    3,
    6,
    0.1f,
    0.7f,
    10,
    100,  // common
    88.72f,
    88.73f,
    87.3f,
    103.9f,
    103.98f,
    104.1f,
    17.4f,  // exp and expm1 leave the range
    0.70710678f,
    1.41421354f,  // log's cut
    0.78539819f,
    1.5707964f,
    3.14159274f,
    4.712389f,
    355,
    3e7f,
    16367173,
    1e30f,
    2.8e38f,
    0x1.4p23f,  // sin, cos, tan
    9,
    9.01f,
    20,
    0.55f,  // tanh
    0.94f,
    3.9f,
    5,
    10,
    13,
    14,
    0.66f,  // erf, gelu
    1.5f,
    2.5f,
    0x1p23f,
    0x1.000002p23f,
    8388607.5f,
    0x1p24f,  // rounding
    125,
    126,
    200,  // silu, mish: e^-x has no float left
};

void add_around(std::vector<float>& all, float x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float y : {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)}) {
    all.push_back(y);
    all.push_back(-y);
  }
}

template <class T>
ir::Tensor of(const std::vector<T>& values) {
  return ir::Tensor::of<T>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

ir::Tensor all_codes(ir::DType dtype) {
  ir::Tensor tensor({dtype, {0x10000}});
  auto* const codes = reinterpret_cast<std::uint16_t*>(tensor.bytes().data());
  for (unsigned code = 0; code < 0x10000; ++code) codes[code] = static_cast<std::uint16_t>(code);
  return tensor;
}

std::vector<float> float_samples(std::size_t count) {
  std::vector<float> all;
  for (const float x : edges) add_around(all, x);
  for (const float x : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    all.push_back(x);
    all.push_back(-x);
  }
  const auto step = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / (count + 1)) | 1;
  for (std::uint32_t k = 1; k <= count; ++k) all.push_back(std::bit_cast<float>(k * step));
  return all;
}

ir::Tensor f32_samples(std::size_t count, const std::function<bool(float)>& keep) {
  std::vector<float> kept;
  for (const float x : float_samples(count))
    if (keep(x)) kept.push_back(x);
  return of(kept);
}

ir::Tensor integer_samples(ir::DType dtype) {
  ir::Tensor made;
  ir::visit_integer(dtype, [&]<class T>(T) {
    constexpr auto low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    std::vector<T> values = {low, static_cast<T>(low + 1), high, static_cast<T>(high - 1),
                             static_cast<T>(high / 2 + 1)};
    for (const int x : {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, -1, -2, -3, -7, -8, -100})
      values.push_back(static_cast<T>(x));
    made = of(values);
  });
  return made;
}

Pairs all_pairs(const ir::Tensor& a, const ir::Tensor& b) {
  const auto shaped = [](const ir::Tensor& x, ir::Shape shape) {
    return ir::Tensor(ir::TensorView({x.dtype(), std::move(shape)}, x.bytes()));
  };
  return {shaped(a, {a.elements(), 1}), shaped(b, {1, b.elements()})};
}

}  // namespace plumb::testing
