// Complex numbers from reals, and reals from complex numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ir/ops/complex_part.hpp"
#include "ir/ops/make_complex.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::complex_numbers_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::ComplexForm;
using ir::ops::ComplexPart;
using ir::ops::MakeComplex;
using Function = ir::ops::ComplexPartFunction;
using c64 = std::complex<float>;
using c128 = std::complex<double>;
using testing::random_tensor;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr Function computed[] = {Function::abs, Function::angle, Function::norm_squared};

Tensor numbers(const std::vector<c64>& z) { return Tensor::of<c64>({std::ssize(z)}, z); }
Tensor reals(const std::vector<float>& x) { return Tensor::of<float>({std::ssize(x)}, x); }

TEST(MakeComplex, CopiesEveryBit) {
  const float odd_nan = std::bit_cast<float>(0xFFC12345u);
  const std::vector<float> a = {-0.0f, odd_nan, -inf, 1e-45f, 3}, b = {0.0f, -0.0f, nan, -1e-45f, inf};
  std::vector<c64> z;
  for (std::size_t i = 0; i < a.size(); ++i) z.emplace_back(a[i], b[i]);
  testing::check_bytes(MakeComplex{}, {reals(a), reals(b)}, numbers(z));
  const Tensor re = random_tensor({DType::f64, {7, 3}}, 1), im = random_tensor({DType::f64, {3}}, 2);
  Tensor wide({DType::c128, {7, 3}});
  for (std::size_t i = 0; i < 21; ++i) wide.as<c128>()[i] = {re.as<double>()[i], im.as<double>()[i % 3]};
  testing::check_bytes(MakeComplex{}, {re, im}, wide);
}

TEST(MakeComplex, Broadcasts) {
  for (const auto& [a, b] : {std::pair<ir::Shape, ir::Shape>{{}, {5}},
                             {{5, 1, 3}, {4, 1}},
                             {{0, 3}, {3}},
                             {{2, 4099}, {2, 4099}},
                             {{3, 8}, {3, 1}},
                             {{1031}, {}}})
    for (const ComplexForm form : {ComplexForm::cartesian, ComplexForm::polar})
      testing::check_op(MakeComplex{form}, {random_tensor({DType::f32, a}, 1), random_tensor({DType::f32, b}, 2)});
}

/// Parts have limits of their own: near a zero of cos or sin one part is much smaller than the modulus.
TEST(MakeComplex, PolarPartsAreAccurateEachByItself) {
  std::vector<float> angles, moduli;
  for (int k = -64; k <= 64; ++k) {
    const auto near = static_cast<float>(k * std::numbers::pi / 2);
    for (const float angle : {std::nextafter(near, -1e9f), near, std::nextafter(near, 1e9f), near * 4096}) {
      angles.push_back(angle);
      moduli.push_back(1 + static_cast<float>(k & 7));
    }
  }
  testing::check_op(MakeComplex{ComplexForm::polar}, {reals(moduli), reals(angles)});
  const Tensor wide = random_tensor({DType::f64, {257}}, 3);
  testing::check_op(MakeComplex{ComplexForm::polar}, {wide, wide});
}

/// An angle that a device may take for 0 still makes a part of ordinary size.
TEST(MakeComplex, PolarOfTinyAngles) {
  testing::check_op(MakeComplex{ComplexForm::polar},
                    {reals({1e30f, -3e37f, 2, 1e-40f, 1e10f}), reals({1e-40f, 1e-45f, -1e-39f, 1e30f, 1e-30f})});
}

/// ops.md K.1.
TEST(MakeComplex, PolarOfSpecialValues) {
  const std::vector<c64> z = {{-8.742278e-8f, 2}, {nan, nan}, {inf, nan}, {inf, inf}, {nan, nan}};
  const std::vector<Tensor> in = {reals({2, 0, inf, inf, nan}),
                                  reals({static_cast<float>(std::numbers::pi / 2), inf, 0, 1e-40f, 1})};
  testing::check_cpu(MakeComplex{ComplexForm::polar}, in, {numbers(z)});
  testing::check_gpu(MakeComplex{ComplexForm::polar}, in, {numbers(z)});
}

TEST(ComplexPart, PartsKeepEveryBit) {
  const float odd_nan = std::bit_cast<float>(0xFFC12345u);
  const Tensor z = numbers({{-0.0f, 1e-45f}, {odd_nan, -inf}, {3, odd_nan}});
  testing::check_bytes(ComplexPart{Function::real}, {z}, reals({-0.0f, odd_nan, 3}));
  testing::check_bytes(ComplexPart{Function::imag}, {z}, reals({1e-45f, -inf, odd_nan}));
  const Tensor wide = Tensor::of<c128>({2, 1}, {{1, -2}, {-0.0, 5e-324}});
  testing::check_bytes(ComplexPart{Function::real}, {wide}, Tensor::of<double>({2, 1}, {1, -0.0}));
  testing::check_bytes(ComplexPart{Function::imag}, {wide}, Tensor::of<double>({2, 1}, {-2, 5e-324}));
}

TEST(ComplexPart, ShapesAndDtypes) {
  for (const ir::Shape& shape : {ir::Shape{}, ir::Shape{1}, ir::Shape{0, 3}, ir::Shape{7, 13}, ir::Shape{2, 20011}}) {
    for (const Function function : {Function::real, Function::imag, Function::abs, Function::angle})
      testing::check_op(ComplexPart{function}, {random_tensor({DType::c64, shape}, 1)});
    testing::check_op(ComplexPart{Function::norm_squared}, {random_tensor({DType::c64, shape}, 2)});
  }
  const Tensor wide = random_tensor({DType::c128, {3, 331}}, 3);
  for (const Function function :
       {Function::real, Function::imag, Function::abs, Function::angle, Function::norm_squared})
    testing::check_op(ComplexPart{function}, {wide});
}

/// No square overflows or vanishes on the way to a modulus, and no part that a device may take for 0 is lost.
TEST(ComplexPart, OverTheWholeRange) {
  std::vector<c64> z;
  std::vector<c128> wide;
  for (int i = -149; i < 128; i += 3)
    for (const int apart : {0, 1, 9, 12, 13, 24, 30}) {
      const float a = std::ldexp(1.3f, i), b = std::ldexp(-1.1f, i - apart);
      z.emplace_back(a, b);
      z.emplace_back(b, a);
      wide.emplace_back(std::ldexp(1.3, 8 * i), std::ldexp(-1.7, 8 * i - apart));
    }
  // Squares leave the range, which makes them no ordinary numbers.
  for (const Function function : computed)
    testing::check_op(ComplexPart{function}, {numbers(z)}, testing::Data::ill_conditioned);
  const Tensor wide_z = Tensor::of<c128>({std::ssize(wide)}, wide);
  for (const Function function : computed)
    testing::check_op(ComplexPart{function}, {wide_z}, testing::Data::ill_conditioned);
}

/// ops.md K.1.
TEST(ComplexPart, SpecialValues) {
  const auto both = [](Function function, const std::vector<c64>& z, const std::vector<float>& y) {
    testing::check_cpu(ComplexPart{function}, {numbers(z)}, {reals(y)});
    testing::check_gpu(ComplexPart{function}, {numbers(z)}, {reals(y)});
  };
  both(Function::abs, {{3e30f, 4e30f}, {3e-30f, 4e-30f}, {nan, -inf}, {nan, 1}, {0, -0.0f}, {3e-40f, 4e-40f}},
       {5e30f, 5e-30f, inf, nan, 0, 5e-40f});
  constexpr auto pi = static_cast<float>(std::numbers::pi);
  both(Function::angle, {{-1, 0}, {-1, -0.0f}, {-0.0f, 0}, {0, -0.0f}, {0, 2}, {-inf, inf}},
       {pi, -pi, pi, -0.0f, pi / 2, 3 * pi / 4});
  both(Function::norm_squared, {{3, 4}, {1e30f, 0}, {nan, inf}, {-inf, 1}}, {25, inf, nan, inf});
}

TEST(ComplexPart, UndoesWhatMadeIt) {
  const Tensor a = random_tensor({DType::f32, {1009}}, 5), b = random_tensor({DType::f32, {1009}}, 6);
  ref_cpu::CpuExecutor cpu;
  const Tensor z = ir::run_op(cpu, MakeComplex{}, {a, b}).front();
  testing::check_bytes(ComplexPart{Function::real}, {z}, a);
  testing::check_bytes(ComplexPart{Function::imag}, {z}, b);
}

}  // namespace
}  // namespace plumb::complex_numbers_test
