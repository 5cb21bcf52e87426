#include "ir/ops/sort.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "ir/ops/top_k.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/ordered_values.hpp"

namespace plumb::ref_cpu::sort_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Sort;
using ir::ops::TopK;
using plumb::testing::check_cpu;

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

Tensor f32(const std::vector<float>& values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor i64(const std::vector<std::int64_t>& values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(Sort, IsStableInBothDirections) {
  const Tensor x = f32({2, 1, 2, 1, 3});
  check_cpu(Sort{}, {x}, {f32({1, 1, 2, 2, 3}), i64({1, 3, 0, 2, 4})});
  check_cpu(Sort{.descending = true}, {x}, {f32({3, 2, 2, 1, 1}), i64({4, 0, 2, 1, 3})});
}

TEST(Sort, TotalOrder) {
  const Tensor x = f32({nan, 0.0f, -infinity, -0.0f, infinity, nan, -1});
  check_cpu(Sort{}, {x}, {f32({-infinity, -1, 0.0f, -0.0f, infinity, nan, nan}), i64({2, 6, 1, 3, 4, 0, 5})});
  check_cpu(Sort{.descending = true}, {x},
            {f32({nan, nan, infinity, 0.0f, -0.0f, -1, -infinity}), i64({0, 5, 4, 1, 3, 6, 2})});
}

TEST(TopK, CutsThroughTiesByIndex) {
  const Tensor x = f32({5, 7, 7, 1, 7, 5});
  check_cpu(TopK{.k = 2}, {x}, {f32({7, 7}), i64({1, 2})});
  check_cpu(TopK{.k = 4}, {x}, {f32({7, 7, 7, 5}), i64({1, 2, 4, 0})});
  check_cpu(TopK{.k = 4, .sorted = false}, {x}, {f32({5, 7, 7, 7}), i64({0, 1, 2, 4})});
  check_cpu(TopK{.k = 2, .largest = false}, {x}, {f32({1, 5}), i64({3, 0})});
}

TEST(TopK, NaNIsTheLargest) {
  const Tensor x = f32({1, nan, infinity, nan});
  check_cpu(TopK{.k = 3}, {x}, {f32({nan, nan, infinity}), i64({1, 3, 2})});
  check_cpu(TopK{.k = 3, .largest = false}, {x}, {f32({1, infinity, nan}), i64({0, 2, 1})});
}

/// A value's place in the total order, by another way than comparing.
double rank(double x) { return std::isnan(x) ? 1e300 : std::isinf(x) ? std::copysign(1e200, x) : x + 0.0; }

TEST(Sort, IsTheDefinitionAlongEveryAxis) {
  const ir::Shape shape{3, 41, 5};
  const Tensor x = plumb::testing::ordered_values({DType::f64, shape});
  for (std::int64_t axis = 0; axis < 3; ++axis)
    for (const bool descending : {false, true}) {
      const auto lines = ir::along(shape, axis);
      Tensor values({DType::f64, shape}), indices({DType::i64, shape});
      for (std::int64_t line = 0; line < lines.count(); ++line) {
        std::multimap<double, std::int64_t> ordered;  // equal keys stay in the order of their insertion
        for (std::int64_t k = 0; k < lines.length; ++k) {
          const double key = rank(x.as<double>()[lines.at(line, k)]);
          ordered.emplace(descending ? -key : key, k);
        }
        std::int64_t k = 0;
        for (const auto& [unused, from] : ordered) {
          values.as<double>()[lines.at(line, k)] = x.as<double>()[lines.at(line, from)];
          indices.as<std::int64_t>()[lines.at(line, k++)] = from;
        }
      }
      check_cpu(Sort{axis, descending}, {x}, {values, indices});
    }
}

}  // namespace
}  // namespace plumb::ref_cpu::sort_test
