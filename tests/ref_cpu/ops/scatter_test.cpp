#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/scatter_add.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/indexed_values.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::scatter_test {
namespace {

using ir::DType;
using ir::Tensor;
using namespace ir::ops;
using plumb::testing::check_cpu;
using plumb::testing::random_tensor;
using R = ir::kernels::ScatterReduction;

Tensor f32(ir::Shape shape, const std::vector<float>& values) { return Tensor::of<float>(std::move(shape), values); }
Tensor i64(ir::Shape shape, const std::vector<std::int64_t>& values) {
  return Tensor::of<std::int64_t>(std::move(shape), values);
}

TEST(ScatterElements, TheExamplesOfOnnx) {
  const Tensor x = f32({1, 5}, {1, 2, 3, 4, 5}), updates = f32({1, 2}, {1.1f, 2.1f});
  check_cpu(ScatterElements{1}, {x, i64({1, 2}, {1, 3}), updates}, {f32({1, 5}, {1, 1.1f, 3, 2.1f, 5})});
  check_cpu(ScatterElements{1}, {x, i64({1, 2}, {1, -3}), updates}, {f32({1, 5}, {1, 1.1f, 2.1f, 4, 5})});
  const Tensor twice = i64({1, 2}, {1, 1});
  check_cpu(ScatterElements{1, R::add}, {x, twice, updates}, {f32({1, 5}, {1, 5.2f, 3, 4, 5})});
  check_cpu(ScatterElements{1, R::multiply}, {x, twice, updates}, {f32({1, 5}, {1, 2 * 1.1f * 2.1f, 3, 4, 5})});
  check_cpu(ScatterElements{1, R::maximum}, {x, twice, updates}, {f32({1, 5}, {1, 2.1f, 3, 4, 5})});
  check_cpu(ScatterElements{1, R::minimum}, {x, twice, updates}, {f32({1, 5}, {1, 1.1f, 3, 4, 5})});
}

TEST(ScatterElements, TheLastOfEqualTargetsWinsInRowMajorOrder) {
  const Tensor x = f32({2, 3}, {0, 0, 0, 0, 0, 0});
  check_cpu(ScatterElements{0}, {x, i64({3, 2}, {0, 1, -2, 1, 0, -1}), f32({3, 2}, {1, 2, 3, 4, 5, 6})},
            {f32({2, 3}, {5, 0, 0, 0, 6, 0})});
}

TEST(ScatterElements, NaNPropagatesAndIntegersWrap) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor i = i64({3}, {0, 0, 1});
  for (const R reduction : {R::add, R::multiply, R::maximum, R::minimum})
    check_cpu(ScatterElements{0, reduction}, {f32({2}, {1, nan}), i, f32({3}, {nan, 2, 3})}, {f32({2}, {nan, nan})});
  const auto i8 = [](std::int64_t n, const std::vector<std::int8_t>& values) {
    return Tensor::of<std::int8_t>({n}, values);
  };
  check_cpu(ScatterElements{0, R::add}, {i8(2, {100, 1}), i, i8(3, {100, 100, 1})}, {i8(2, {44, 2})});
  check_cpu(ScatterElements{0, R::multiply}, {i8(2, {100, 2}), i, i8(3, {3, 1, 3})}, {i8(2, {44, 6})});
}

TEST(ScatterElements, SixteenBitSumsAreRoundedOnce) {
  const auto f16 = [](const std::vector<float>& values) {
    std::vector<ir::f16> rounded(values.begin(), values.end());
    return Tensor::of<ir::f16>({static_cast<std::int64_t>(values.size())}, rounded);
  };
  const Tensor y = run_one(ScatterElements{0, R::add}, {f16({2048}), i64({3}, {0, 0, 0}), f16({1, 1, 1})});
  EXPECT_EQ(static_cast<float>(y.as<ir::f16>()[0]),
            2052);  // 2051 is a tie of 2050 and 2052; 2048 + 1 is 2048 each time
}

TEST(ScatterElements, IsTheDefinitionWhereIndicesAreShorter) {
  const ir::Shape shape{5, 4, 7}, of_indices{3, 11, 6};
  const Tensor x = random_tensor({DType::f64, shape}, 1), updates = random_tensor({DType::f64, of_indices}, 2);
  const Tensor i = testing::axis_indices({DType::i64, of_indices}, 4);
  Tensor last = x, sum = x;
  std::size_t e = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t k = 0; k < 11; ++k)
      for (std::size_t b = 0; b < 6; ++b, ++e) {
        const std::int64_t at = i.as<std::int64_t>()[e];
        const std::size_t target = (a * 4 + static_cast<std::size_t>(at < 0 ? at + 4 : at)) * 7 + b;
        last.as<double>()[target] = updates.as<double>()[e];
        sum.as<double>()[target] += updates.as<double>()[e];
      }
  check_cpu(ScatterElements{1}, {x, i, updates}, {last});
  check_cpu(ScatterElements{1, R::add}, {x, i, updates}, {sum});
}

TEST(ScatterNd, SlicesAndElements) {
  const Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  check_cpu(ScatterNd{}, {x, i64({3, 1}, {2, 0, -1}), f32({3, 2}, {10, 20, 30, 40, 50, 60})},
            {f32({3, 2}, {30, 40, 3, 4, 50, 60})});
  check_cpu(ScatterNd{R::add}, {x, i64({2, 1, 1}, {1, 1}), f32({2, 1, 2}, {10, 20, 30, 40})},
            {f32({3, 2}, {1, 2, 43, 64, 5, 6})});
  check_cpu(ScatterNd{R::minimum}, {x, i64({2, 2}, {0, 1, -1, -2}), f32({2}, {-1, 7})},
            {f32({3, 2}, {1, -1, 3, 4, 5, 6})});
  check_cpu(ScatterNd{}, {x, i64({1}, {1}), f32({2}, {8, 9})}, {f32({3, 2}, {1, 2, 8, 9, 5, 6})});
}

TEST(ScatterAdd, SumsRowsAndLeavesTheOthersZero) {
  const Tensor updates = f32({2, 3}, {1, 2, 3, 10, 20, 30});
  check_cpu(ScatterAdd{1, 4}, {updates, i64({3}, {2, 0, -2})}, {f32({2, 4}, {2, 0, 4, 0, 20, 0, 40, 0})});
  check_cpu(ScatterAdd{0, 2}, {updates, i64({2}, {1, 1})}, {f32({2, 3}, {0, 0, 0, 11, 22, 33})});
  check_cpu(ScatterAdd{0, 2}, {updates, i64({2, 3}, {0, 1, 0, 1, 0, -1})}, {f32({2}, {24, 42})});
}

TEST(Scatters, AnIndexOutOfRangeNamesItsPosition) {
  CpuExecutor cpu;
  const Tensor x({DType::f32, {2, 3}}), u({DType::f32, {2, 1}});
  EXPECT_EQ(tests::message_of([&] {
              ir::run_op(cpu, ScatterElements{1}, {x, i64({2, 1}, {2, 3}), u});
            }),
            "node 'y' (scatter_elements): indices[1] is 3, outside [-3, 3)");
  EXPECT_EQ(tests::message_of([&] {
              ir::run_op(cpu, ScatterAdd{0, 4}, {u, i64({2}, {-5, 0})});
            }),
            "node 'y' (scatter_add): indices[0] is -5, outside [-4, 4)");
}

}  // namespace
}  // namespace plumb::ref_cpu::scatter_test
