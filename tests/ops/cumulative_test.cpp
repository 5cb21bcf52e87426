#include "ir/ops/cumulative.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "tests/support/op_check.hpp"
#include "tests/support/ordered_values.hpp"

namespace plumb::cumulative_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Cumulative;
using testing::check_op;
using testing::random_tensor;
using F = ir::ops::CumulativeFunction;

constexpr std::array all_functions = {F::sum, F::product, F::max, F::min};

bool served(F function, DType dtype) { return !ir::is_complex(dtype) || function == F::sum || function == F::product; }

/// Factors near 1, so that products neither vanish nor overflow.
Tensor operand(F function, const ir::TensorType& type) {
  if (function != F::product || ir::is_integer(type.dtype)) return random_tensor(type, 3);
  if (ir::is_complex(type.dtype)) {  // turns by random angles
    const Tensor angles = random_tensor({DType::f64, type.shape}, 3);
    Tensor turns({DType::c128, type.shape});
    for (std::size_t e = 0; e < angles.as<double>().size(); ++e)
      turns.as<std::complex<double>>()[e] = std::polar(1.0, angles.as<double>()[e]);
    return ir::convert(turns, type.dtype);
  }
  const double spread = std::min(0.1, 10.0 / static_cast<double>(type.shape.elements() + 1));
  return random_tensor(type, 3, {.distribution = ir::Distribution::uniform, .low = 1 - spread, .high = 1 + spread});
}

struct Case {
  ir::Shape shape;
  std::int64_t axis;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.shape << " along " << c.axis; }

class CumulativeCases : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

TEST_P(CumulativeCases, MeetTheTruth) {
  const auto& [dtype, c] = GetParam();
  for (const F function : all_functions) {
    if (!served(function, dtype)) continue;
    const Tensor x = operand(function, {dtype, c.shape});
    check_op(Cumulative{function, c.axis}, {x});
    check_op(Cumulative{function, c.axis, true, true}, {x});
    if (x.elements() > 2000) continue;
    check_op(Cumulative{function, c.axis, true, false}, {x});
    check_op(Cumulative{function, c.axis, false, true}, {x});
  }
}

const Case edges[] = {
    {{5, 300}, 1},   {{300, 5}, 0},  {{3, 41, 67}, -2}, {{7, 1, 3}, 1},
    {{1}, 0},        {{0, 3}, 1},    {{3, 0}, 1},       {{2, 2, 2, 3, 1, 2, 2, 5}, 3},
    {{65537, 2}, 1}, {{9, 1025}, 1}, {{9, 1023}, 1},    {{300, 4}, 1},
    {{70, 36}, 1},   {{9, 1024}, 1}, {{2, 12300}, 1},
};

INSTANTIATE_TEST_SUITE_P(, CumulativeCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::i32), ::testing::ValuesIn(edges)));

INSTANTIATE_TEST_SUITE_P(OtherTypes, CumulativeCases,
                         ::testing::Combine(::testing::Values(DType::f16, DType::bf16, DType::f64, DType::u8, DType::i8,
                                                              DType::u16, DType::i16, DType::u32, DType::i64,
                                                              DType::c64, DType::c128),
                                            ::testing::Values(Case{{5, 300}, 1}, Case{{67, 13}, 0})));

// Cut into slices, whose length is no multiple of a tile.
INSTANTIATE_TEST_SUITE_P(LongLines, CumulativeCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::i64, DType::c64),
                                            ::testing::Values(Case{{2, 30011}, 1}, Case{{20011, 3}, 0})));

TEST(CumulativeGpu, AMillionTerms) {
  check_op(Cumulative{}, {random_tensor({DType::f32, {1'000'003}}, 5)});
  check_op(Cumulative{}, {random_tensor({DType::f64, {1'000'003}}, 5)});
  check_op(Cumulative{F::max}, {random_tensor({DType::f16, {1'000'003}}, 5)});
  check_op(Cumulative{F::product}, {random_tensor({DType::u32, {1'000'003}}, 5)});
}

TEST(CumulativeGpu, SmallTermsOutliveLargeOnesThatCancel) {
  for (const std::int64_t n : {12, 3000, 12'300, 1'000'002}) {  // those of whole packs, and slices
    std::vector<float> x(static_cast<std::size_t>(n)), sums(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = i % 3 == 0 ? 1e8f : i % 3 == 1 ? -1e8f : 1.0f;
      const double small = static_cast<double>((i + 1) / 3);
      sums[i] = static_cast<float>(i % 3 == 0 ? 1e8 + small : small);
    }
    testing::check_gpu(Cumulative{}, {Tensor::of<float>({n}, x)}, {Tensor::of<float>({n}, sums)});
  }
}

TEST(CumulativeGpu, SpecialValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity})
    for (const F function : all_functions)
      for (const std::int64_t n : {500, 200'000}) {
        std::vector<float> x(static_cast<std::size_t>(n), 0.9999f);  // to no power subnormal
        x[static_cast<std::size_t>(n / 2)] = special;
        x[static_cast<std::size_t>(n / 2 + n / 4)] = -special;
        for (const bool reverse : {false, true})
          check_op(Cumulative{function, 0, reverse, reverse}, {Tensor::of<float>({n}, x)});
      }
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16})
    for (const F function : {F::max, F::min})
      check_op(Cumulative{function}, {testing::ordered_values({dtype, {40, 100}})});
}

}  // namespace
}  // namespace plumb::cumulative_test
