#include "ir/sums.hpp"

#include <gtest/gtest.h>

namespace plumb::ir::sums_test {
namespace {

TEST(Sums, ATextHasTheLevelsInnermostFirst) {
  const Sum split{.unit = SumUnit::matrix, .levels = {{16, SumTake::run, SumJoin::unit}, {0}, {4}}};
  EXPECT_EQ(to_text(split), "product: matrix f32 [{16 run unit} {0 run chain} {4 run chain}]");
}

TEST(Sums, ATextSaysWhatIsNotAsUsual) {
  const Sum sum{.of = ir::SumName::row_sum,
                .unit = SumUnit::either,
                .accumulator = DType::f16,
                .levels = {{0, SumTake::every, SumJoin::pair, true}},
                .order = "reversed",
                .is_rounded = true,
                .epilogue = {ir::SumStep::alpha, ir::SumStep::bias},
                .rescale = 64};
  EXPECT_EQ(to_text(sum),
            "row_sum: either f16 [{0 every pair compensated}] order reversed kept rounded then alpha, bias "
            "rescaled every 64");
}

TEST(Sums, TheAccumulatorOfSeveralIsTheOneThatRoundsMost) {
  const Sum narrow{.accumulator = DType::f16}, wide{.accumulator = DType::f32}, widest{.accumulator = DType::f64};
  const Sum all[] = {wide, narrow, widest};
  EXPECT_EQ(accumulator_of(all), DType::f16);
  EXPECT_EQ(accumulator_of({}), std::nullopt);
}

}  // namespace
}  // namespace plumb::ir::sums_test
