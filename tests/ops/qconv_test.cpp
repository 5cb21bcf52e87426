// Requantised convolutions: every geometry, what becomes of sums by hand, and which codes the judge admits.
#include "ir/ops/qconv.hpp"

#include <gtest/gtest.h>

#include "tests/support/codes.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::qconv_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::Qconv;
using testing::check_jointly;
using testing::codes;
using testing::scales;
using testing::whole;

struct Case {
  Shape x, w, of_w;
  Qconv op;
};

TEST(Qconv, EveryGeometryAndMixtureOfCodes) {
  const Case cases[] = {
      {{1, 1, 1}, {1, 1, 1}, {}, {}},
      {{2, 5, 31}, {3, 5, 7}, {3}, {.strides = {3}, .pads = {6, 2}}},
      {{2, 4, 9, 7}, {6, 2, 3, 2}, {6}, {.strides = {1, 2}, .dilations = {2, 1}, .pads = {1, 0, 2, 1}, .group = 2}},
      {{1, 3, 8, 8}, {3, 1, 3, 3}, {1}, {.pads = {1, 1, 1, 1}, .group = 3}},
      {{1, 2, 5, 4, 6}, {17, 2, 2, 3, 1}, {17}, {.pads = {1, 0, 0, 0, 2, 0}}},
      {{0, 2, 3}, {2, 2, 2}, {}, {}},
  };
  constexpr DType of_scales[] = {DType::f32, DType::f16, DType::f64, DType::bf16};
  std::uint64_t seed = 1;
  for (const Case& c : cases)
    for (const DType of_x : {DType::u8, DType::i8})
      for (const DType of_w : {DType::u8, DType::i8}) {
        const DType scale = of_scales[seed % 4], of_y = seed % 3 == 0 ? DType::u8 : DType::i8;
        SCOPED_TRACE(ir::cat(of_x, c.x, " by ", of_w, c.w, " with scales in ", scale));
        std::vector<Tensor> in = {codes(of_x, c.x, seed),          scales(scale, {1}, seed + 1),
                                  codes(of_x, {1}, seed + 2),      codes(of_w, c.w, seed + 3),
                                  scales(scale, c.of_w, seed + 4), codes(of_w, c.of_w, seed + 5),
                                  whole(scale, {}, {0.75}),        codes(of_y, {}, seed + 6)};
        Qconv op = c.op;
        check_jointly(op, in, testing::Data::ill_conditioned);
        op.has_bias = true;
        in.push_back(
            testing::random_tensor({DType::i32, {c.w[0]}}, seed + 7,
                                   {.distribution = ir::Distribution::uniform_int, .low = -9000, .high = 9000}));
        check_jointly(op, in, testing::Data::ill_conditioned);
        seed += 9;
      }
}

TEST(Qconv, LargeTiles) {
  check_jointly(Qconv{.pads = {1, 1, 1, 1}},
                {codes(DType::u8, {1, 3, 67, 65}, 1), scales(DType::f32, {}, 2), codes(DType::u8, {}, 3),
                 codes(DType::i8, {70, 3, 3, 3}, 4), scales(DType::f32, {70}, 5), codes(DType::i8, {70}, 6),
                 whole(DType::f32, {}, {0.25}), whole(DType::u8, {}, {120})});
}

/// An image of 1 and 3 less 1 under a filter of two taps, 1 and 1: sums 0, 2 and 2 with pads, where code 0 in their
/// place would have given −1 and 1.
std::vector<Tensor> padded(double x_scale, double w_scale, double y_scale) {
  return {whole(DType::u8, {1, 1, 2}, {1, 3}), whole(DType::f32, {}, {x_scale}), whole(DType::u8, {}, {1}),
          whole(DType::i8, {1, 1, 2}, {1, 1}), whole(DType::f32, {}, {w_scale}), whole(DType::i8, {}, {0}),
          whole(DType::f32, {}, {y_scale}),    whole(DType::i8, {}, {10})};
}

TEST(Qconv, PaddingIsTheZeroPointAndTiesAreEven) {
  const Qconv op{.pads = {1, 1}};
  const auto expect = [&](const Qconv& with, const std::vector<Tensor>& in, const std::vector<double>& y) {
    testing::check_cpu(with, in, {whole(DType::i8, {1, 1, 3}, y)});
    testing::check_gpu(with, in, {whole(DType::i8, {1, 1, 3}, y)});
  };
  expect(op, padded(1, 1, 1), {10, 12, 12});
  expect(op, padded(0.5, 0.5, 1), {10, 10, 10});  // 0 and 1/2
  expect(op, padded(1, 100, 1), {10, 127, 127});
  std::vector<Tensor> in = padded(0.5, 0.5, 1);
  in.push_back(Tensor::of<std::int32_t>({1}, {4}));
  expect({.pads = {1, 1}, .has_bias = true}, in, {11, 12, 12});  // 1 and 3/2
}

TEST(Qconv, ACodeIsFreeAtATieOfRoundedRealsAlone) {
  const auto complaint = [](const std::vector<Tensor>& in, const std::vector<double>& y) {
    return testing::complaint_of(testing::judged(Qconv{.pads = {1, 1}}, in, {whole(DType::i8, {1, 1, 3}, y)}));
  };
  EXPECT_EQ(complaint(padded(3, 1, 12), {10, 10, 11}), "");  // 2·3/12
  EXPECT_NE(complaint(padded(3, 1, 12), {11, 10, 10}), "");
  EXPECT_NE(complaint(padded(0.5, 0.5, 1), {10, 10, 11}), "");
}

}  // namespace
}  // namespace plumb::qconv_test
