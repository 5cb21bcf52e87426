#include "parity/studies/sweep/output_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plumb::parity::output_error_test {
namespace {

TEST(OutputError, SaysHowLargeItIsAndWhichElementIsTheLargest) {
  const auto truth = ir::Tensor::of<double>({2, 3}, {3, 0, 4, -1, -2, -3});
  const auto got = ir::Tensor::of<float>({2, 3}, {3, 0, 4, -1, -2, -3.5f});
  const studies::sweep::OutputError error = studies::sweep::error_of(truth, got, ir::DType::f32);
  EXPECT_EQ(error.max_abs, 0.5);
  EXPECT_NEAR(error.rel_l2, 0.5 / std::sqrt(39.0), 1e-15);
  EXPECT_NEAR(error.cosine, 40.5 / std::sqrt(39.0 * 42.25), 1e-15);
  EXPECT_EQ(error.top1, 1);
  EXPECT_NEAR(studies::sweep::snr_db(error.rel_l2), 10 * std::log10(39 / 0.25), 1e-12);
  EXPECT_EQ(studies::sweep::snr_db(0), std::numeric_limits<double>::infinity());
}

TEST(OutputError, OfEqualElementsTheFirstIsChosen) {
  const auto truth = ir::Tensor::of<double>({4, 2}, {1, 2, 2, 1, 5, 5, 1, 2});
  const auto agreement = [&](std::vector<float> got) {
    return studies::sweep::error_of(truth, ir::Tensor::of<float>({4, 2}, got), ir::DType::f32).top1;
  };
  EXPECT_EQ(agreement({1, 2, 2, 1, 5, 5, 1, 2}), 1);
  EXPECT_EQ(agreement({2, 2, 2, 1, 5, 5, 1, 2}), 0.75);  // a tie that rounding made chooses the first
  EXPECT_EQ(agreement({1, 2, 2, 2, 5, 6, 1, 2}), 1);     // either of equal truths will do
  EXPECT_EQ(agreement({1, 2, 2, 1, 5, 5, NAN, 2}), 0.75);
  const auto top1_of = [](const ir::Shape& shape) {
    return studies::sweep::error_of(ir::Tensor({ir::DType::f64, shape}), ir::Tensor({ir::DType::f32, shape}),
                                    ir::DType::f32)
        .top1;
  };
  EXPECT_TRUE(std::isnan(top1_of({})));
  EXPECT_TRUE(std::isnan(top1_of({5, 1})));
  EXPECT_TRUE(std::isnan(top1_of({0, 7})));
}

TEST(OutputError, ANumberThatBecameInfiniteIsAnInfiniteError) {
  const auto truth = ir::Tensor::of<double>({2}, {1e5, 1});
  const ir::Tensor got = ir::convert(truth, ir::DType::f16);
  const studies::sweep::OutputError error = studies::sweep::error_of(truth, got, ir::DType::f32);
  EXPECT_EQ(error.max_abs, std::numeric_limits<double>::infinity());
  EXPECT_EQ(error.rel_l2, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(error.cosine));
  EXPECT_EQ(error.top1, 1);
  EXPECT_LT(studies::sweep::error_of(truth, got, ir::DType::f16).rel_l2, 1e-3);
}

}  // namespace
}  // namespace plumb::parity::output_error_test
