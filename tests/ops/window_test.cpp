#include "ir/ops/window.hpp"

#include <gtest/gtest.h>

#include "tests/support/op_check.hpp"

namespace plumb::window_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Window;
using Function = ir::ops::WindowFunction;

void check(const Window& op, const Tensor& y) {
  testing::check_cpu(op, {}, {y});
  testing::check_gpu(op, {}, {y});
}

TEST(Window, OfFewElements) {
  for (const Function function : {Function::hann, Function::hamming, Function::blackman, Function::rectangular})
    for (const bool periodic : {false, true}) check({function, 0, periodic}, Tensor({DType::f32, {0}}));
  check({Function::hann, 1, true}, Tensor::of<float>({1}, {0}));
  check({Function::hann, 1, false}, Tensor::of<float>({1}, {0}));  // D is 1 where it would be 0
  check({Function::rectangular, 3}, Tensor::of<float>({3}, {1, 1, 1}));
  check({Function::hann, 2, true}, Tensor::of<float>({2}, {0, 1}));
  check({Function::hann, 4, false}, Tensor::of<float>({4}, {0, 0.75f, 0.75f, 0}));  // ops.md K.1
  check({Function::hann, 4, true}, Tensor::of<float>({4}, {0, 0.5f, 1, 0.5f}));
  check({Function::hamming, 2, true, DType::f64, 0.54},
        Tensor::of<double>({2}, {0.54 - (1 - 0.54), 0.54 + (1 - 0.54)}));
  check({Function::blackman, 3, false}, Tensor::of<float>({3}, {0, 1, 0}));  // 0.42 − 0.5 + 0.08
}

/// Elements that are equal by symmetry are equal in every bit.
TEST(Window, IsSymmetric) {
  for (const Function function : {Function::hann, Function::hamming, Function::blackman})
    for (const bool periodic : {false, true})
      for (const std::int64_t size : {2, 3, 16, 97, 400, 1001}) {
        const ir::Bytes bytes = Window{function, size, periodic, DType::f64}.values();
        const auto* y = reinterpret_cast<const double*>(bytes.data());
        for (std::int64_t i = periodic ? 1 : 0; i < size; ++i)
          ASSERT_EQ(y[i], y[periodic ? size - i : size - 1 - i]) << size << " at " << i;
      }
}

TEST(Window, MeetsTheLibraryOnEveryElement) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  const ir::Bytes bytes = Window{Function::hann, 1000, true, DType::f64}.values();
  const auto* y = reinterpret_cast<const double*>(bytes.data());
  for (int i = 0; i < 1000; ++i)
    EXPECT_NEAR(y[i], static_cast<double>(0.5L - 0.5L * std::cos(2 * pi * i / 1000)), 0x1p-53) << i;
}

/// Beside its end a long window is ((t/2)² − (t/2)⁴/3), which digits of 1 − cos t would not show.
TEST(Window, KeepsItsDigitsBesideItsEnd) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  constexpr std::int64_t size = 1 << 20;
  const auto elements = [](Function function) { return Window{function, size, true, DType::f64}.values(); };
  const ir::Bytes hann = elements(Function::hann), blackman = elements(Function::blackman);
  for (std::int64_t i = 0; i < 5; ++i) {
    const long double half = pi * static_cast<long double>(i) / size, s = half * half * (1 - half * half / 3);
    const auto expected_near = [&](const ir::Bytes& bytes, long double y) {
      EXPECT_NEAR(reinterpret_cast<const double*>(bytes.data())[i], static_cast<double>(y), 0x1p-50 * y) << i;
    };
    expected_near(hann, s);
    expected_near(blackman, 0.36L * s + 0.64L * s * s);
  }
}

}  // namespace
}  // namespace plumb::window_test
