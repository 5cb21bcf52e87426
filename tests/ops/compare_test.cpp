#include "ir/ops/compare.hpp"

#include <gtest/gtest.h>

#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::compare_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Compare;
using ir::ops::Comparison;
using testing::check_op;

constexpr std::array all = {Comparison::equal,      Comparison::not_equal, Comparison::less,
                            Comparison::less_equal, Comparison::greater,   Comparison::greater_equal};

/// The bool tensor whose bytes are these.
Tensor bools(std::initializer_list<unsigned char> bytes) {
  return Tensor(
      ir::TensorView({DType::boolean, {static_cast<std::int64_t>(bytes.size())}}, std::as_bytes(std::span(bytes))));
}

void expect(Comparison function, const Tensor& a, const Tensor& b, const Tensor& y) {
  testing::check_cpu(Compare{function}, {a, b}, {y});
  testing::check_gpu(Compare{function}, {a, b}, {y});
}

TEST(Compare, NanIsUnequalToEverythingAndZerosAreEqual) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto a = Tensor::of<float>({8}, {nan, 1, nan, -0.0f, 1, -inf, 1e-45f, -2});
  const auto b = Tensor::of<float>({8}, {1, nan, nan, 0.0f, 2, inf, 0, -3});
  expect(Comparison::equal, a, b, bools({0, 0, 0, 1, 0, 0, 0, 0}));
  expect(Comparison::not_equal, a, b, bools({1, 1, 1, 0, 1, 1, 1, 1}));
  expect(Comparison::less, a, b, bools({0, 0, 0, 0, 1, 1, 0, 0}));
  expect(Comparison::less_equal, a, b, bools({0, 0, 0, 1, 1, 1, 0, 0}));
  expect(Comparison::greater, a, b, bools({0, 0, 0, 0, 0, 0, 1, 1}));
  expect(Comparison::greater_equal, a, b, bools({0, 0, 0, 1, 0, 0, 1, 1}));
}

TEST(Compare, WideIntegersNeverGoThroughFloats) {
  constexpr std::int64_t big = std::int64_t{1} << 53;
  const auto a = Tensor::of<std::int64_t>({3}, {big, big + 1, -big - 1}),
             b = Tensor::of<std::int64_t>({3}, {big + 1, big, -big});
  expect(Comparison::equal, a, b, bools({0, 0, 0}));
  expect(Comparison::less, a, b, bools({1, 0, 1}));
  const auto c = Tensor::of<std::uint32_t>({2}, {0xFFFFFFFF, 16777217}),
             d = Tensor::of<std::uint32_t>({2}, {0xFFFFFFFE, 16777216});
  expect(Comparison::greater, c, d, bools({1, 1}));
}

TEST(Compare, RealsAgreeOnBothExecutorsForAllPairsOfEdges) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    const Tensor x = ir::convert(testing::f32_samples(100), dtype);
    const auto [a, b] = testing::all_pairs(x, x);
    for (const auto function : all) check_op(Compare{function}, {a, b});
  }
}

TEST(Compare, IntegersAgreeOnBothExecutorsForAllPairsOfEdges) {
  for (const DType dtype : {DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32, DType::i64}) {
    const Tensor x = testing::integer_samples(dtype);
    const auto [a, b] = testing::all_pairs(x, x);
    for (const auto function : all) check_op(Compare{function}, {a, b});
  }
}

TEST(Compare, BoolsAndComplexNumbersAreEqualOrNot) {
  const Tensor x = bools({0, 1});
  const auto [a, b] = testing::all_pairs(x, x);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto z = Tensor::of<std::complex<float>>({5}, {{0, 0}, {-0.0f, 0}, {1, 2}, {1, nan}, {2, 1}});
  const auto [v, w] = testing::all_pairs(z, z);
  for (const auto function : {Comparison::equal, Comparison::not_equal}) {
    check_op(Compare{function}, {a, b});
    check_op(Compare{function}, {v, w});
    check_op(Compare{function}, {ir::convert(v, DType::c128), ir::convert(w, DType::c128)});
  }
}

TEST(Compare, OperandsBroadcast) {
  for (const DType dtype : {DType::f32, DType::f16, DType::i64, DType::u8})
    for (const auto& [a, b] : std::initializer_list<std::pair<ir::Shape, ir::Shape>>{{{1027}, {1027}},
                                                                                     {{5, 8}, {8}},
                                                                                     {{5, 7}, {7}},
                                                                                     {{3, 1}, {1, 7}},
                                                                                     {{2, 3, 4}, {}},
                                                                                     {{}, {}},
                                                                                     {{2, 0}, {1}}})
      check_op(Compare{Comparison::less},
               {testing::random_tensor({dtype, a}, 1), testing::random_tensor({dtype, b}, 2)});
}

}  // namespace
}  // namespace plumb::compare_test
