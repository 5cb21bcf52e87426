#include "ir/ops/resize.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/cases/resize_cases.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::resize_test {
namespace {

using ir::DType;
using ir::Tensor;
using testing::check_op;
using testing::random_tensor;
using namespace ir::ops;

class ResizeOf : public ::testing::TestWithParam<DType> {};

TEST_P(ResizeOf, AgreesInEveryMode) {
  std::uint64_t seed = 1;
  for (const auto& geometry : testing::resize_geometries())
    for (const auto& c : testing::resizes_of(geometry)) {
      // For the other types a part will do.
      if (GetParam() != DType::f32 && (++seed % 7) != 0) continue;
      SCOPED_TRACE(c.what);
      check_op(c.op, {random_tensor({GetParam(), c.x}, ++seed)});
    }
}

INSTANTIATE_TEST_SUITE_P(, ResizeOf, ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

class NearestOf : public ::testing::TestWithParam<DType> {};

TEST_P(NearestOf, MovesEveryBit) {
  for (const auto coordinate : {ResizeCoordinate::half_pixel, ResizeCoordinate::tf_crop_and_resize}) {
    const Resize op{.axes = {1, 3},
                    .sizes = {11, 4},
                    .coordinate = coordinate,
                    .roi = {0.1, 0.2, 1.4, 0.9},
                    .extrapolation_value = 1};
    check_op(op, {tests::noise({GetParam(), {2, 7, 3, 5}})});
  }
}

INSTANTIATE_TEST_SUITE_P(, NearestOf,
                         ::testing::Values(DType::boolean, DType::u8, DType::i16, DType::i32, DType::i64, DType::c64,
                                           DType::c128),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(Resize, NaNAndInfinityReachWhatTheyWeighIn) {
  const auto x = Tensor::of<float>({4}, {1, INFINITY, 3, NAN});
  const auto y = Tensor::of<float>({8}, {1, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, NAN});
  const Resize op{.axes = {0}, .sizes = {8}, .mode = ResizeMode::linear};
  testing::check_cpu(op, {x}, {y});
  testing::check_gpu(op, {x}, {y});
}

TEST(Resize, HasMoreWorkgroupsThanOneDimensionHolds) {
  const Resize nearest{.axes = {0}, .sizes = {65536 * 64 + 3}};
  check_op(nearest, {random_tensor({DType::f16, {65536 * 32}}, 1)});
  const Resize linear{.axes = {1}, .sizes = {2}, .mode = ResizeMode::linear};
  check_op(linear, {random_tensor({DType::f32, {65536 * 32 + 1, 3}}, 1)});
}

}  // namespace
}  // namespace plumb::resize_test
