// Requantised products: what becomes of sums by hand, and which codes the judge admits.
#include "ir/ops/qmatmul.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/codes.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::qmatmul_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::Qmatmul;
using testing::check_jointly;
using testing::codes;
using testing::scales;
using testing::whole;

struct Case {
  Shape a, b, of_a, of_b;
};

TEST(Qmatmul, EveryMixtureOfCodesAndScales) {
  const Case cases[] = {
      {{1, 1}, {1, 1}, {}, {1}},
      {{17, 15}, {15, 16}, {17}, {16}},
      {{2, 1, 5, 7}, {3, 7, 6}, {2, 1, 5, 1}, {3, 1, 6}},
      {{4, 9, 33}, {33, 3}, {}, {1, 3}},
      {{3, 0}, {0, 2}, {3, 1}, {2}},
  };
  constexpr DType of_scales[] = {DType::f32, DType::f16, DType::f64, DType::bf16};
  std::uint64_t seed = 1;
  for (const Case& c : cases)
    for (const DType of_a : {DType::u8, DType::i8})
      for (const DType of_b : {DType::u8, DType::i8}) {
        const DType scale = of_scales[seed % 4], of_y = seed % 3 == 0 ? DType::u8 : DType::i8;
        SCOPED_TRACE(ir::cat(of_a, c.a, " by ", of_b, c.b, " with scales in ", scale));
        std::vector<Tensor> in = {codes(of_a, c.a, seed),          scales(scale, c.of_a, seed + 1),
                                  codes(of_a, c.of_a, seed + 2),   codes(of_b, c.b, seed + 3),
                                  scales(scale, c.of_b, seed + 4), codes(of_b, c.of_b, seed + 5),
                                  whole(scale, {}, {0.75}),        codes(of_y, {}, seed + 6)};
        check_jointly(Qmatmul{}, in, testing::Data::ill_conditioned);
        in.push_back(
            testing::random_tensor({DType::i32, {c.b.back()}}, seed + 7,
                                   {.distribution = ir::Distribution::uniform_int, .low = -9000, .high = 9000}));
        check_jointly(Qmatmul{true}, in, testing::Data::ill_conditioned);
        seed += 9;
      }
}

TEST(Qmatmul, LargeTiles) {
  check_jointly(Qmatmul{},
                {codes(DType::u8, {17, 130, 5}, 1), scales(DType::f32, {17, 130, 1}, 2),
                 codes(DType::u8, {17, 130, 1}, 3), codes(DType::i8, {5, 129}, 4), scales(DType::f32, {129}, 5),
                 codes(DType::i8, {129}, 6), whole(DType::f32, {1}, {0.1}), whole(DType::i8, {1}, {3})});
}

/// Operands of which a is one column of sums: b is 1 and has no zero point.
std::vector<Tensor> of_sums(const std::vector<double>& sums, double a_scale, double b_scale, double y_scale, DType y,
                            double y_zero) {
  const auto count = static_cast<std::int64_t>(sums.size());
  return {whole(DType::i8, {count, 1}, sums), whole(DType::f32, {}, {a_scale}),
          whole(DType::i8, {}, {0}),          whole(DType::u8, {1, 1}, {1}),
          whole(DType::f32, {}, {b_scale}),   whole(DType::u8, {}, {0}),
          whole(DType::f32, {}, {y_scale}),   whole(y, {}, {y_zero})};
}

void expect(const std::vector<Tensor>& in, const std::vector<double>& y) {
  const Tensor expected = whole(in[7].dtype(), {static_cast<std::int64_t>(y.size()), 1}, y);
  testing::check_cpu(Qmatmul{}, in, {expected});
  testing::check_gpu(Qmatmul{}, in, {expected});
}

TEST(Qmatmul, SumsAreRoundedToEvenAndSaturate) {
  expect(of_sums({-5, -3, -1, 1, 3, 5, 7}, 1, 0.5, 1, DType::i8, 0), {-2, -2, 0, 0, 2, 2, 4});
  expect(of_sums({-70, 127, -64, 64, 63}, 1, 2, 1, DType::i8, 0), {-128, 127, -128, 127, 126});
  expect(of_sums({-70, -64, 63, 64, 127}, 1, 2, 1, DType::u8, 128), {0, 0, 254, 255, 255});
  expect(of_sums({-1, 0, 1}, 1e30, 1e5, 1e-3, DType::i8, 3), {-128, 3, 127});  // the real is infinite, and 0
}

TEST(Qmatmul, WhatIsNotANumberIsTheZeroPoint) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  expect(of_sums({-1, 0, 1}, nan, 1, 1, DType::u8, 7), {7, 7, 7});
  expect(of_sums({-1, 0, 1}, inf, 1, 1, DType::u8, 7), {0, 7, 255});
  expect(of_sums({-1, 0, 1}, 1, 1, 0, DType::i8, 7), {-128, 7, 127});
}

TEST(Qmatmul, BiasesBelongToColumnsAndSumsWrap) {
  std::vector<Tensor> in = of_sums({1, -1}, 1, 1, 1, DType::i8, 0);
  in[3] = whole(DType::u8, {1, 2}, {1, 1});
  in.push_back(Tensor::of<std::int32_t>({2}, {10, std::numeric_limits<std::int32_t>::max()}));
  const Tensor y = whole(DType::i8, {2, 2}, {11, -128, 9, 127});  // 2^31 is -2^31
  testing::check_cpu(Qmatmul{true}, in, {y});
  testing::check_gpu(Qmatmul{true}, in, {y});
}

std::string complaint(const std::vector<Tensor>& in, const std::vector<double>& y) {
  const Tensor got = whole(in[7].dtype(), {static_cast<std::int64_t>(y.size()), 1}, y);
  return testing::complaint_of(testing::judged(Qmatmul{}, in, {got}));
}

TEST(Qmatmul, ACodeIsFreeAtATieOfRoundedRealsAlone) {
  // Factors of 1/2: of 3·1/6 something may be rounded, of 1·1/2 nothing.
  const auto in = of_sums({1, 3, 4}, 3, 1, 6, DType::i8, 0);
  EXPECT_EQ(complaint(in, {0, 2, 2}), "");
  EXPECT_EQ(complaint(in, {1, 1, 2}), "");
  EXPECT_NE(complaint(in, {0, 2, 3}), "");
  EXPECT_NE(complaint(in, {2, 2, 2}), "");
  const auto exact = of_sums({1, 3, 4}, 1, 1, 2, DType::i8, 0);
  EXPECT_EQ(complaint(exact, {0, 2, 2}), "");
  EXPECT_NE(complaint(exact, {1, 2, 2}), "");
  EXPECT_NE(complaint(exact, {0, 1, 2}), "");
}

TEST(Qmatmul, ACodeFarFromATieIsHeld) {
  const auto in = of_sums({10, -10, 100}, 0.1, 0.7, 0.3, DType::i8, 5);  // 2.33, -2.33 and 23.3
  EXPECT_EQ(complaint(in, {7, 3, 28}), "");
  EXPECT_NE(complaint(in, {8, 3, 28}), "");
  EXPECT_NE(complaint(in, {7, 2, 28}), "");
  EXPECT_NE(complaint(in, {7, 3, 27}), "");
}

}  // namespace
}  // namespace plumb::qmatmul_test
