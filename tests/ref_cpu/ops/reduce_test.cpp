#include "ir/ops/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ref_cpu::reduce_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Reduce;
using F = ir::ops::ReduceFunction;

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor reduced(const Reduce& op, const Tensor& x) {
  CpuExecutor cpu;
  return ir::run_op(cpu, op, {x})[0];
}

/// The function's accumulator after one more element.
double next(F function, double so_far, double x) {
  switch (function) {
    case F::product:
      return so_far * x;
    case F::max:
      return std::max(so_far, x);
    case F::min:
      return std::min(so_far, x);
    case F::l1:
      return so_far + std::abs(x);
    case F::sum_square:
      return so_far + x * x;
    default:
      return so_far + x;
  }
}

double neutral(F function) {
  if (function == F::max) return -infinity;
  if (function == F::min) return infinity;
  return function == F::product ? 1 : 0;
}

/// The definition, element by element; exact for small integers.
template <class T>
Tensor by_definition(const Reduce& op, const Tensor& x) {
  const ir::Graph graph = ir::graph_of(op, ir::TensorTypes{x.type()});
  Tensor y(graph.type(graph.results()[0]));
  Reduce kept = op;
  kept.keep_dims = true;
  const ir::Shape shape = ir::infer(kept, std::vector{x.type()})[0].shape;
  const auto to = ir::broadcast_strides(shape, x.shape());
  std::vector<double> folded(static_cast<std::size_t>(y.elements()), neutral(op.function));
  const auto from = x.as<T>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t at = 0;
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t a = x.shape().size(); a-- > 0; rest /= x.shape()[a])
      at += static_cast<std::size_t>(rest % x.shape()[a] * to[a]);
    folded[at] = next(op.function, folded[at], static_cast<double>(from[i]));
  }
  for (std::size_t o = 0; o < folded.size(); ++o) y.as<T>()[o] = static_cast<T>(folded[o]);
  return y;
}

struct Sweep {
  ir::Shape shape;
  std::vector<std::int64_t> axes;
};

class ReduceSweep : public ::testing::TestWithParam<Sweep> {};

template <class T>
void sweep(const Sweep& sweep, std::initializer_list<F> functions) {
  for (const F function : functions) {
    Tensor x({ir::dtype_of<T>, sweep.shape});
    // Few factors of 2 or -1, so that products, too, are exact.
    for (std::size_t i = 0; i < x.as<T>().size(); ++i) {
      const int value = function == F::product ? (i % 97 == 5  ? 2
                                                  : i % 3 == 0 ? -1
                                                               : 1)
                                               : static_cast<int>(i * 7 % 11) - 5;
      x.as<T>()[i] = static_cast<T>(static_cast<float>(value));
    }
    for (const bool keep : {true, false}) {
      const Reduce op{function, sweep.axes, keep};
      const Tensor got = reduced(op, x), wanted = by_definition<T>(op, x);
      ASSERT_EQ(got.type(), wanted.type());
      for (std::size_t o = 0; o < got.as<T>().size(); ++o)
        ASSERT_EQ(static_cast<double>(got.as<T>()[o]), static_cast<double>(wanted.as<T>()[o]))
            << ir::enum_name(function) << " at " << o;
    }
  }
}

TEST_P(ReduceSweep, IsExactOnSmallIntegers) {
  sweep<float>(GetParam(), {F::sum, F::product, F::max, F::min, F::l1, F::sum_square});
  sweep<double>(GetParam(), {F::sum, F::max, F::l1});
  sweep<std::int32_t>(GetParam(), {F::sum, F::max, F::min, F::l1, F::sum_square});
  sweep<std::int64_t>(GetParam(), {F::sum, F::max});
  sweep<ir::f16>(GetParam(), {F::max, F::min});
}

INSTANTIATE_TEST_SUITE_P(, ReduceSweep,
                         ::testing::Values(Sweep{{2, 3, 5}, {}}, Sweep{{2, 3, 5}, {0, 1, 2}}, Sweep{{7, 130}, {0}},
                                           Sweep{{7, 130}, {1}}, Sweep{{3, 40, 67}, {1}}, Sweep{{3, 5, 7, 11}, {0, 2}},
                                           Sweep{{3, 5, 7, 11}, {-3, -1}}, Sweep{{2, 3, 2, 3, 2, 3}, {0, 2, 4}},
                                           Sweep{{2, 3, 2, 3, 2, 3}, {1, 3, 5}}, Sweep{{1, 513, 1}, {1}},
                                           Sweep{{1, 9, 1}, {0, 2}}, Sweep{{}, {}}, Sweep{{1}, {0}},
                                           Sweep{{70000, 3}, {1}}, Sweep{{3, 70001}, {-1}}, Sweep{{4, 0, 3}, {0}}));

TEST(Reduce, TheEmptySetGivesTheNeutralValue) {
  const std::pair<F, double> cases[] = {
      {F::sum, 0.0},        {F::product, 1.0}, {F::max, -infinity},     {F::min, infinity},         {F::l1, 0.0},
      {F::sum_square, 0.0}, {F::l2, 0.0},      {F::log_sum, -infinity}, {F::log_sum_exp, -infinity}};
  for (const auto& [function, value] : cases)
    for (const ir::Shape& shape : {ir::Shape{3, 0}, ir::Shape{0, 3}}) {
      const Tensor y = reduced({function, {shape[0] == 0 ? 0 : 1}, false}, Tensor({DType::f32, shape}));
      ASSERT_EQ(y.elements(), 3);
      for (const float got : y.as<float>()) EXPECT_EQ(got, value) << ir::enum_name(function);
    }
  EXPECT_TRUE(std::isnan(reduced({F::mean, {0}}, Tensor({DType::f32, {0}})).as<float>()[0]));
  EXPECT_EQ(reduced({F::max, {0}}, Tensor({DType::i8, {0}})).as<std::int8_t>()[0], -128);
  EXPECT_EQ(reduced({F::min, {0}}, Tensor({DType::u32, {0}})).as<std::uint32_t>()[0], 0xFFFFFFFFu);
  EXPECT_FALSE(reduced({F::max, {0}}, Tensor({DType::boolean, {0}})).as<bool>()[0]);
  EXPECT_TRUE(reduced({F::min, {0}}, Tensor({DType::boolean, {0}})).as<bool>()[0]);
  EXPECT_EQ(reduced({F::sum, {1}}, Tensor({DType::f32, {0, 3}})).elements(), 0);
}

TEST(Reduce, NaNPropagatesFromEveryPlace) {
  const double nan = std::nan("");
  for (const F function : {F::max, F::min, F::sum, F::log_sum_exp, F::l1})
    for (std::size_t at = 0; at < 40; ++at) {
      std::vector<double> x(40, at % 2 == 0 ? 1.0 : -infinity);
      x[at] = nan;
      EXPECT_TRUE(std::isnan(reduced({function, {0}}, Tensor::of<double>({40}, x)).as<double>()[0]))
          << ir::enum_name(function) << " " << at;
      EXPECT_TRUE(std::isnan(reduced({function, {0}}, Tensor::of<double>({20, 2}, x)).as<double>()[at % 2]));
    }
}

TEST(Reduce, IntegersWrapInTheirOwnType) {
  const auto bytes = Tensor::of<std::int8_t>({3}, {100, 100, 100});
  EXPECT_EQ(reduced({F::sum, {0}}, bytes).as<std::int8_t>()[0], 44);         // 300 - 256
  EXPECT_EQ(reduced({F::product, {0}}, bytes).as<std::int8_t>()[0], 64);     // 10^6 mod 256
  EXPECT_EQ(reduced({F::sum_square, {0}}, bytes).as<std::int8_t>()[0], 48);  // 30000 mod 256
  EXPECT_EQ(reduced({F::l1, {0}}, Tensor::of<std::int8_t>({1}, {-128})).as<std::int8_t>()[0], -128);
  EXPECT_EQ(reduced({F::l1, {0}}, Tensor::of<std::uint32_t>({1}, {0xFFFFFFFFu})).as<std::uint32_t>()[0], 0xFFFFFFFFu);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(reduced({F::sum, {0}}, Tensor::of<std::int64_t>({2}, {most, 1})).as<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::min());
}

TEST(Reduce, BoolMaxIsAnyAndMinIsAll) {
  Tensor x({DType::boolean, {2, 2}});
  x.as<bool>()[1] = x.as<bool>()[2] = x.as<bool>()[3] = true;  // false true / true true
  const Tensor all = reduced({F::min, {1}, false}, x), any = reduced({F::max, {0, 1}, false}, x);
  EXPECT_FALSE(all.as<bool>()[0]);
  EXPECT_TRUE(all.as<bool>()[1]);
  EXPECT_TRUE(any.as<bool>()[0]);
}

TEST(Reduce, SixteenBitFloatsAddInF32AndRoundOnce) {
  // 2048 + 1 + 1 is 2048 when every step rounds to f16; its sum overflows only at 65520.
  const auto f16s = [](std::vector<float> values) {
    std::vector<ir::f16> rounded;
    for (const float x : values) rounded.emplace_back(x);
    const auto n = static_cast<std::int64_t>(rounded.size());
    return Tensor::of<ir::f16>({n}, rounded);
  };
  EXPECT_EQ(static_cast<float>(reduced({F::sum, {0}}, f16s({2048, 1, 1})).as<ir::f16>()[0]), 2050.0f);
  EXPECT_EQ(static_cast<float>(reduced({F::mean, {0}}, f16s({65504, 65504, 65504})).as<ir::f16>()[0]), 65504.0f);
  EXPECT_EQ(static_cast<float>(reduced({F::sum, {0}}, f16s({65504, 8})).as<ir::f16>()[0]), 65504.0f);
  EXPECT_EQ(static_cast<float>(reduced({F::sum, {0}}, f16s({65504, 16})).as<ir::f16>()[0]), infinity);  // 65520, a tie
}

TEST(Reduce, AMillionCancellingTermsLeaveTheSmallOnes) {
  // +1e8, -1e8 and a 1 that 1e8 swallows in f32: only the widened sum sees 333334 of them.
  std::vector<double> x(1'000'002);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 3 == 0 ? 1e8 : i % 3 == 1 ? -1e8 : 1;
  EXPECT_EQ(reduced({F::sum, {0}}, Tensor::of<double>({1'000'002}, x)).as<double>()[0], 333334);
}

TEST(Reduce, LogSumExpTakesTheMaximumOut) {
  const auto of = [](std::vector<double> x) {
    const auto n = static_cast<std::int64_t>(x.size());
    return reduced({F::log_sum_exp, {0}}, Tensor::of<double>({n}, x)).as<double>()[0];
  };
  EXPECT_DOUBLE_EQ(of({1000, 1000}), 1000 + std::log(2.0));
  EXPECT_DOUBLE_EQ(of({-1000, -1000, -1000, -1000}), -1000 + std::log(4.0));
  EXPECT_EQ(of({-infinity, -infinity}), -infinity);
  EXPECT_EQ(of({-infinity, 3}), 3);
  EXPECT_EQ(of({infinity, 3, -infinity}), infinity);
  EXPECT_EQ(of({infinity, infinity}), infinity);
}

TEST(Reduce, NormsAndLogarithms) {
  const auto x = Tensor::of<float>({2}, {3, -4});
  EXPECT_EQ(reduced({F::l2, {0}}, x).as<float>()[0], 5);
  EXPECT_EQ(reduced({F::l1, {0}}, x).as<float>()[0], 7);
  EXPECT_EQ(reduced({F::log_sum, {0}}, Tensor::of<float>({2}, {3, -2})).as<float>()[0], 0);
  EXPECT_TRUE(std::isnan(reduced({F::log_sum, {0}}, x).as<float>()[0]));
}

/// A norm is in range where its squares are not, and what is special about a line stays.
TEST(Reduce, TheNormTakesItsScaleOut) {
  const auto norm = [](const std::vector<float>& line) {
    const auto n = static_cast<std::int64_t>(line.size());
    return reduced({F::l2, {0}}, Tensor::of<float>({n}, line)).as<float>()[0];
  };
  const auto scaled = [&](int exponent) {
    return norm({std::ldexp(3.0f, exponent), 0, std::ldexp(-4.0f, exponent), -0.0f});
  };
  for (int exponent = -149; exponent <= 125; ++exponent)
    EXPECT_EQ(scaled(exponent), std::ldexp(5.0f, exponent)) << exponent;
  EXPECT_EQ(norm({3e38f, 3e38f}), infinity);  // beyond the range itself
  EXPECT_EQ(norm({2e38f, 2e38f}), std::sqrt(2.0f) * 2e38f);
  const float none = norm({-0.0f, 0, -0.0f});
  EXPECT_EQ(none, 0);
  EXPECT_FALSE(std::signbit(none));
  constexpr auto endless = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(norm({-endless, 1e-30f}), infinity);
  EXPECT_EQ(norm({endless, 1e30f}), infinity);
  for (const float other : {0.0f, 1e-30f, 1.0f, 1e30f, endless}) EXPECT_TRUE(std::isnan(norm({nan, other})));
  EXPECT_DOUBLE_EQ(reduced({F::l2, {0}}, Tensor::of<double>({2}, {3e200, 4e200})).as<double>()[0], 5e200);
  EXPECT_DOUBLE_EQ(reduced({F::l2, {0}}, Tensor::of<double>({2}, {3e-200, 4e-200})).as<double>()[0], 5e-200);
}

/// An element is what it is whatever its neighbours are.
TEST(Reduce, OneNormBeyondTheRangeChangesNoOther) {
  std::vector<float> x(150 * 70);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.25f + 0.001f * static_cast<float>(i % 997);
  const auto columns = [&] { return reduced({F::l2, {0}}, Tensor::of<float>({150, 70}, x)); };
  const Tensor before = columns();
  for (std::size_t r = 0; r < 150; ++r) x[r * 70 + 66] = std::ldexp(x[r * 70 + 66], 100);
  const Tensor after = columns();
  for (std::size_t c = 0; c < 70; ++c)
    EXPECT_EQ(after.as<float>()[c], c == 66 ? std::ldexp(before.as<float>()[c], 100) : before.as<float>()[c]) << c;
}

TEST(Reduce, ComplexSumsAndMeans) {
  using Z = std::complex<float>;
  const auto x = Tensor::of<Z>({2, 2}, {{1, 2}, {3, 4}, {5, -6}, {7, 8}});
  EXPECT_EQ(reduced({F::sum, {0}}, x).as<Z>()[0], Z(6, -4));
  EXPECT_EQ(reduced({F::mean, {0, 1}}, x).as<Z>()[0], Z(4, 2));
  EXPECT_EQ(reduced({F::mean, {1}}, x).as<Z>()[1], Z(6, 1));
}

}  // namespace
}  // namespace plumb::ref_cpu::reduce_test
