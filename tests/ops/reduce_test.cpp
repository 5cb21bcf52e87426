#include "ir/ops/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::reduce_test {
namespace {

using ir::DType;
using ir::Fill;
using ir::Tensor;
using ir::ops::Reduce;
using testing::check_op;
using testing::random_tensor;
using F = ir::ops::ReduceFunction;

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

constexpr std::array all_functions = {F::sum, F::mean,       F::product, F::max,     F::min,
                                      F::l1,  F::sum_square, F::l2,      F::log_sum, F::log_sum_exp};

bool served(F function, DType dtype) { return ir::ops::reducible(function).contains(dtype); }

/// Operands on which the function says something: factors near 1, positive terms of a logarithm.
Tensor operand(F function, const ir::TensorType& type) {
  if (!ir::is_float(type.dtype)) return random_tensor(type, 3);
  if (function == F::product)
    return random_tensor(type, 3, {.distribution = ir::Distribution::uniform, .low = 0.9, .high = 1.1});
  if (function == F::log_sum)
    return random_tensor(type, 3, {.distribution = ir::Distribution::uniform, .low = 0.5, .high = 2});
  return random_tensor(type, 3);
}

struct Case {
  ir::Shape shape;
  std::vector<std::int64_t> axes;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.shape << " over " << ir::Shape(c.axes); }

class ReduceCases : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

TEST_P(ReduceCases, EveryFunctionMeetsTheTruth) {
  const auto& [dtype, c] = GetParam();
  for (const F function : all_functions) {
    if (!served(function, dtype)) continue;
    SCOPED_TRACE(ir::enum_name(function));
    check_op(Reduce{function, c.axes, false}, {operand(function, {dtype, c.shape})});
  }
}

const Case edges[] = {
    {{2, 3, 5}, {}},
    {{5, 7}, {0, 1}},
    {{67, 13}, {0}},
    {{13, 67}, {-1}},
    {{3, 40, 67}, {1}},
    {{3, 5, 7, 11}, {0, 2}},
    {{3, 5, 7, 11}, {1, -1}},
    {{2, 3, 2, 3, 2, 3, 2, 3}, {0, 2, 4, 6}},
    {{1, 513, 1}, {1}},
    {{}, {}},
    {{1}, {0}},
    {{5, 2000}, {1}},
    {{2000, 5}, {0}},
    {{300, 8}, {1}},
    {{300, 8}, {0}},
    {{70, 132}, {0}},
    {{3, 40, 64}, {1}},
    {{3, 5, 8, 12}, {0, 2}},
    {{3, 0}, {1}},
    {{0, 3}, {0}},
    {{0, 3}, {1}},
};

INSTANTIATE_TEST_SUITE_P(, ReduceCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::i32), ::testing::ValuesIn(edges)));

// Rows, columns, axes apart, and nothing to fold.
INSTANTIATE_TEST_SUITE_P(
    OtherTypes, ReduceCases,
    ::testing::Combine(::testing::Values(DType::f16, DType::bf16, DType::f64, DType::boolean, DType::u8, DType::i8,
                                         DType::u16, DType::i16, DType::u32, DType::i64, DType::c64, DType::c128),
                       ::testing::Values(Case{{5, 300}, {1}}, Case{{3, 5, 7, 11}, {0, 2}}, Case{{3, 0}, {1}})));

TEST(ReduceGpu, LongLinesAreCutIntoSlices) {
  for (const F function : {F::sum, F::mean, F::max, F::l2, F::log_sum_exp}) {
    SCOPED_TRACE(ir::enum_name(function));
    check_op(Reduce{function, {1}}, {random_tensor({DType::f32, {3, 200003}}, 5)});
    check_op(Reduce{function, {0}}, {random_tensor({DType::f32, {100003, 3}}, 6)});
    check_op(Reduce{function, {0, 1}}, {random_tensor({DType::f16, {1009, 997}}, 7)});
    check_op(Reduce{function, {1}}, {random_tensor({DType::f32, {3, 100004}}, 8)});  // whole packs, odd slices
    check_op(Reduce{function, {0}}, {random_tensor({DType::f32, {10003, 36}}, 9)});
  }
  check_op(Reduce{F::sum, {0}}, {random_tensor({DType::i32, {1'000'003}}, 8)});
  check_op(Reduce{F::sum, {0}}, {random_tensor({DType::i8, {1'000'003}}, 8)});
  check_op(Reduce{F::min, {0}}, {random_tensor({DType::f64, {1'000'003}}, 8)});
}

TEST(ReduceGpu, MoreOutputsThanAWorkgroupRowHolds) {
  check_op(Reduce{F::sum, {1}}, {random_tensor({DType::u8, {70001, 3}}, 9)});
  check_op(Reduce{F::max, {1}}, {random_tensor({DType::i16, {65537, 2, 3}}, 9)});
}

TEST(ReduceGpu, AMillionTermsThatCancelLeaveTheSmallOnes) {
  for (const std::int64_t n : {12, 3000, 1'000'002, 1'200'000}) {
    std::vector<float> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 3 == 0 ? 1e8f : i % 3 == 1 ? -1e8f : 1.0f;
    const Tensor terms = Tensor::of<float>({n}, x);
    testing::check_gpu(Reduce{F::sum, {0}}, {terms}, {Tensor::of<float>({1}, {static_cast<float>(n / 3)})});
    testing::check_gpu(Reduce{F::mean, {0}}, {terms}, {Tensor::of<float>({1}, {1.0f / 3})});
  }
}

TEST(ReduceGpu, NaNAndInfinitiesPropagate) {
  for (const F function : {F::sum, F::mean, F::product, F::max, F::min, F::l1, F::sum_square, F::l2, F::log_sum_exp})
    for (const float special : {nan, infinity, -infinity}) {
      SCOPED_TRACE(ir::cat(ir::enum_name(function), " of ", special));
      std::vector<float> x(300, 0.5f);
      x[7] = special;  // one special in line 0, two of opposite signs in line 1, none in line 2
      x[120] = special;
      x[199] = -special;
      check_op(Reduce{function, {1}}, {Tensor::of<float>({3, 100}, x)});
      check_op(Reduce{function, {0}}, {Tensor::of<float>({100, 3}, x)});
    }
  const Tensor low = Tensor::of<float>({2, 2}, {-infinity, -infinity, -infinity, 3});
  testing::check_gpu(Reduce{F::log_sum_exp, {1}, false}, {low}, {Tensor::of<float>({2}, {-infinity, 3})});
}

/// Lines of 1e-40 to 1e38 side by side, in one piece, in columns and in slices; what squares leave the range of is a
/// norm all the same. Devices may take subnormals for 0.
TEST(ReduceGpu, NormsTakeTheirScaleOut) {
  for (const auto& [lines, length] : {std::pair{40, 7}, {40, 300}, {9, 200003}, {70, 132}}) {
    const auto many = static_cast<std::size_t>(lines), long_ = static_cast<std::size_t>(length);
    const Tensor ones = random_tensor({DType::f32, {lines, length}}, 11);
    Tensor rows = ones, columns({DType::f32, {length, lines}});
    for (std::size_t l = 0; l < many; ++l)
      for (std::size_t k = 0; k < long_; ++k) {
        const int exponent = -120 + static_cast<int>(230 * l / many);
        const float scaled = l == 3 ? 0.0f : std::ldexp(ones.as<float>()[l * long_ + k], exponent);
        rows.as<float>()[l * long_ + k] = columns.as<float>()[k * many + l] = scaled;
      }
    check_op(Reduce{F::l2, {1}}, {rows});
    check_op(Reduce{F::l2, {0}}, {columns});
  }
  // One slice, or one line of a workgroup, is out of range and the others are not.
  Tensor mixed = random_tensor({DType::f32, {5, 100003}}, 12);
  for (std::size_t k = 0; k < 700; ++k) mixed.as<float>()[100003 + k] *= 1e30f;
  check_op(Reduce{F::l2, {1}}, {mixed});
  check_op(Reduce{F::l2, {1}}, {ir::convert(mixed, DType::bf16)});
}

TEST(ReduceGpu, AnyAndAll) {
  Tensor x({DType::boolean, {3, 100}});
  for (std::size_t i = 100; i < 300; ++i) x.as<bool>()[i] = i != 150;  // none, all but one, all
  check_op(Reduce{F::max, {1}}, {x});
  check_op(Reduce{F::min, {1}}, {x});
}

TEST(ReduceGpu, SixteenBitResultsRoundOnceAndOverflow) {
  const auto f16s = [](std::vector<float> values) {
    std::vector<ir::f16> rounded;
    for (const float x : values) rounded.emplace_back(x);
    return Tensor::of<ir::f16>({2, static_cast<std::int64_t>(values.size()) / 2}, rounded);
  };
  check_op(Reduce{F::sum, {1}}, {f16s({2048, 1, 1, 1, 1, 1})});
  testing::check_gpu(Reduce{F::sum, {1}}, {f16s({65504, 8, 65504, 16})}, {[&] {
                       Tensor y = f16s({65504, infinity});
                       return Tensor::of<ir::f16>({2, 1}, {y.as<ir::f16>()[0], y.as<ir::f16>()[1]});
                     }()});
  check_op(Reduce{F::mean, {1}}, {f16s({65504, 65504, 65472, 65504, 65504, 65504})});
}

/// Squares of f64 leave its range both ways, and long lines are cut into slices.
TEST(ReduceGpu, FunctionsOfDoubles) {
  for (const double scale : {1e-200, 1.0, 1e200})
    check_op(Reduce{F::l2, {1}}, {random_tensor({DType::f64, {7, 301}}, 3, {.scale = scale})});
  for (const F function : {F::mean, F::l2, F::log_sum_exp})
    check_op(Reduce{function, {1}}, {random_tensor({DType::f64, {2, 100003}}, 5)});
  check_op(Reduce{F::log_sum_exp, {1}}, {random_tensor({DType::f64, {5, 300}}, 6, {.scale = 500})});
}

}  // namespace
}  // namespace plumb::reduce_test
