// grid_sample and affine_grid against the truth on both executors.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/affine_grid.hpp"
#include "tests/support/cases/sample_cases.hpp"

namespace plumb::sampling_test {
namespace {

using ir::DType;
using ir::Tensor;
using testing::check_op;
using testing::random_tensor;
using namespace ir::ops;

class SamplingOf : public ::testing::TestWithParam<DType> {};

TEST_P(SamplingOf, AGridAgreesInEveryMode) {
  std::uint64_t seed = 1;
  for (const auto& c : testing::sample_cases())
    // One case will do for the other types, which differ only in how they are read and written.
    for (const GridSample& op : testing::samplings()) {
      if (GetParam() != DType::f32 && c.what != std::string("an image")) continue;
      SCOPED_TRACE(c.what);
      const Tensor x = random_tensor({GetParam(), c.x}, ++seed);
      // Grids of few bits lie on the borders between pixels, where either is right.
      const bool at_borders = op.mode == ir::ops::SampleMode::nearest;
      check_op(op, {x, testing::grid_for(c, GetParam(), ++seed)},
               at_borders ? testing::Data::ill_conditioned : testing::Data::ordinary);
    }
}

TEST_P(SamplingOf, AnAffineGridAgrees) {
  for (const bool align : {false, true})
    for (const std::vector<std::int64_t>& shape :
         std::vector<std::vector<std::int64_t>>{{14, 15}, {1, 3}, {7, 3, 9}, {1, 1, 1}, {0, 3}, {300, 301}}) {
      const auto rank = static_cast<std::int64_t>(shape.size());
      check_op(AffineGrid{shape, align}, {random_tensor({GetParam(), {3, rank, rank + 1}}, 3)});
    }
}

INSTANTIATE_TEST_SUITE_P(, SamplingOf, ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(GridSample, ExactCentresEdgesAndFarOutside) {
  const Tensor x = random_tensor({DType::f32, {1, 2, 8}}, 1);
  const Tensor grid = Tensor::of<float>(
      {1, 15, 1}, {-0.875f, 0.125f, -1, 1, 0, -2, 3, 1025, -4097, 1e6f, -1e6f, INFINITY, -INFINITY, NAN, 0.75f});
  for (const GridSample& op : testing::samplings())
    if (!op.align_corners) check_op(op, {x, grid}, testing::Data::ill_conditioned);
}

TEST(Sampling, HasMoreWorkgroupsThanOneDimensionHolds) {
  const std::int64_t points = 65536 * 64 + 3;
  const testing::SampleCase many{"", {1, 1, 9}, {points}};
  check_op(GridSample{}, {random_tensor({DType::f32, many.x}, 1), testing::grid_for(many, DType::f32, 2)});
  check_op(AffineGrid{{2, points / 2}, false}, {random_tensor({DType::f32, {1, 2, 3}}, 3)});
}

}  // namespace
}  // namespace plumb::sampling_test
