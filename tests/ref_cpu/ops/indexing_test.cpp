#include <gtest/gtest.h>

#include "ir/ops/gather_elements.hpp"
#include "ir/ops/gather_nd.hpp"
#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/indexed_values.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::indexing_test {
namespace {

using ir::DType;
using ir::Tensor;
using namespace ir::ops;
using plumb::testing::check_cpu;

Tensor counted(const ir::Shape& shape) {
  Tensor x({DType::i32, shape});
  for (std::size_t e = 0; e < x.as<std::int32_t>().size(); ++e) x.as<std::int32_t>()[e] = static_cast<std::int32_t>(e);
  return x;
}

TEST(GatherElements, OfBothAxesAsOnnxShowsThem) {
  const Tensor x = Tensor::of<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor rows = Tensor::of<std::int64_t>({2, 3}, {1, 2, 0, -1, 0, 0});
  check_cpu(GatherElements{0}, {x, rows}, {Tensor::of<float>({2, 3}, {4, 8, 3, 7, 2, 3})});
  const Tensor columns = Tensor::of<std::int32_t>({2, 2}, {0, -3, 1, 2});
  check_cpu(GatherElements{1}, {x, columns}, {Tensor::of<float>({2, 2}, {1, 1, 5, 6})});
}

TEST(GatherElements, IsTheDefinitionWhereIndicesAreShorterOnOtherAxes) {
  const Tensor x = counted({5, 4, 7}), i = testing::axis_indices({DType::i64, {3, 11, 6}}, 4);
  Tensor y({DType::i32, {3, 11, 6}});
  std::size_t e = 0;
  for (std::int64_t a = 0; a < 3; ++a)
    for (std::int64_t k = 0; k < 11; ++k)
      for (std::int64_t b = 0; b < 6; ++b, ++e) {
        const std::int64_t at = i.as<std::int64_t>()[e];
        y.as<std::int32_t>()[e] = static_cast<std::int32_t>((a * 4 + (at < 0 ? at + 4 : at)) * 7 + b);
      }
  check_cpu(GatherElements{1}, {x, i}, {y});
}

TEST(GatherNd, TuplesSlicesAndBatches) {
  const Tensor x = counted({2, 3, 2});
  const auto i32s = [](ir::Shape shape, const std::vector<std::int32_t>& values) {
    return Tensor::of<std::int32_t>(std::move(shape), values);
  };
  check_cpu(GatherNd{}, {x, i32s({2, 3}, {0, 0, 1, -1, -1, -2})}, {i32s({2}, {1, 10})});
  check_cpu(GatherNd{}, {x, i32s({2, 1, 2}, {1, 0, 0, -1})}, {i32s({2, 1, 2}, {6, 7, 4, 5})});
  check_cpu(GatherNd{1}, {x, i32s({2, 2, 1}, {2, 0, 1, 1})}, {i32s({2, 2, 2}, {4, 5, 0, 1, 8, 9, 8, 9})});
  check_cpu(GatherNd{}, {x, i32s({3}, {1, 2, 1})}, {i32s({}, {11})});
}

TEST(Gathers, AnIndexOutOfRangeNamesItsPosition) {
  CpuExecutor cpu;
  const Tensor x = counted({2, 3});
  const auto message = [&](const ir::Op& op, const Tensor& indices) {
    return tests::message_of([&] { ir::run_op(cpu, op, {x, indices}); });
  };
  EXPECT_EQ(message(GatherElements{1}, Tensor::of<std::int64_t>({2, 1}, {2, 3})),
            "node 'y' (gather_elements): indices[1] is 3, outside [-3, 3)");
  EXPECT_EQ(message(GatherNd{}, Tensor::of<std::int64_t>({2, 2}, {1, 2, 2, 2})),
            "node 'y' (gather_nd): indices[2] is 2, outside [-2, 2)");
}

}  // namespace
}  // namespace plumb::ref_cpu::indexing_test
