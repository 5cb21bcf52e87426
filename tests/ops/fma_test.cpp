#include "ir/ops/fma.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::fma_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Fma;
using testing::check_op;
using testing::random_tensor;

template <class T>
struct Triples {
  std::vector<T> a, b, c;
};

/// Terms of all exponents, and addends near minus the product, where its last bits count.
template <class T>
Triples<T> triples(int exponents) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<T> fraction(1, 2);
  const auto any = [&](int most) {
    const int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
    return std::ldexp(random() % 2 == 0 ? fraction(random) : -fraction(random), exponent);
  };
  Triples<T> t;
  for (int i = 0; i < 30000; ++i) {
    t.a.push_back(any(i % 3 == 0 ? exponents : 20));
    t.b.push_back(any(i % 3 == 0 ? exponents : 20));
    const T product = t.a.back() * t.b.back();
    t.c.push_back(i % 3 == 1 ? -product : i % 3 == 2 ? std::nextafter(-product, T{0}) * any(1) : any(exponents));
  }
  return t;
}

template <class T>
void expect_every_bit(const Triples<T>& t) {
  const auto n = static_cast<std::int64_t>(t.a.size());
  const auto y = ir::run_op(*testing::gpu().executor, Fma{},
                            {Tensor::of<T>({n}, t.a), Tensor::of<T>({n}, t.b), Tensor::of<T>({n}, t.c)})[0];
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < t.a.size(); ++i) {
    const T wanted = std::fma(t.a[i], t.b[i], t.c[i]), got = y.template as<T>()[i];
    const bool same = std::isnan(wanted) ? std::isnan(got) : wanted == got && std::signbit(wanted) == std::signbit(got);
    if (!same && ++wrong < 5)
      ADD_FAILURE() << t.a[i] << " * " << t.b[i] << " + " << t.c[i] << ": " << got << ", wanted " << wanted;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Fma, OneRoundingOfF32) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  expect_every_bit(triples<float>(148));  // into subnormals and beyond the largest
}

TEST(Fma, OneRoundingOfF64) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  expect_every_bit(triples<double>(1070));
}

TEST(Fma, SpecialValuesOfEveryKind) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {0, -0.0f, 1, -1, 1e-45f, -1e-45f, 1.5e-38f, 3.4028235e38f, -3.4028235e38f, inf, -inf, nan};
  Triples<float> singles;
  Triples<double> doubles;
  for (const float a : values)
    for (const float b : values)
      for (const float c : values) {
        singles.a.push_back(a);
        singles.b.push_back(b);
        singles.c.push_back(c);
        doubles.a.push_back(a);
        doubles.b.push_back(b);
        doubles.c.push_back(c);
      }
  expect_every_bit(singles);
  expect_every_bit(doubles);
}

TEST(Fma, NarrowSumsRoundOnce) {
  // 1.5 (1 + 2^-7) lies half way between two bf16: a far smaller addend decides.
  const auto bf16 = [](const std::vector<float>& x) {
    std::vector<ir::bf16> narrow;
    for (const float value : x) narrow.push_back(ir::bf16(value));
    return Tensor::of<ir::bf16>({static_cast<std::int64_t>(x.size())}, narrow);
  };
  const std::vector<Tensor> in = {bf16({1.5f, 1.5f, 1.5f}), bf16({1.0078125f, 1.0078125f, 1.0078125f}),
                                  bf16({-0x1p-100f, 0, 0x1p-100f})};
  const auto y = bf16({1.5078125f, 1.515625f, 1.515625f});
  testing::check_cpu(Fma{}, in, {y});
  testing::check_gpu(Fma{}, in, {y});
}

TEST(Fma, EverySixteenBitCode) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const auto codes = testing::all_codes(dtype);
    check_op(Fma{}, {codes, random_tensor(codes.type(), 1), random_tensor(codes.type(), 2)});
    check_op(Fma{}, {codes, random_tensor({dtype, {}}, 1), codes});
  }
}

TEST(Fma, ThreeOperandsBroadcast) {
  struct Shapes {
    ir::Shape a, b, c;
  };
  const Shapes cases[] = {{{5, 1}, {1, 8}, {}},
                          {{3, 1, 1}, {1, 4, 1}, {1, 1, 8}},
                          {{1, 1, 6, 6}, {2, 3, 6, 6}, {}},
                          {{7}, {7}, {1}},
                          {{0, 3}, {1, 3}, {3}},
                          {{}, {}, {}},
                          {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 3, 1, 3, 1, 3, 1, 3}, {2, 3, 1, 1, 2, 3, 1, 1}}};
  for (const auto& [a, b, c] : cases)
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
      check_op(Fma{}, {random_tensor({dtype, a}, 1), random_tensor({dtype, b}, 2), random_tensor({dtype, c}, 3)});
}

}  // namespace
}  // namespace plumb::fma_test
