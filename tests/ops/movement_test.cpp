#include "tests/support/cases/movement.hpp"

#include <gtest/gtest.h>

#include "ir/ops/gather.hpp"
#include "ir/ops/slice.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::gpu_vulkan::movement_test {
namespace {

using ir::DType;
using ir::Tensor;

ir::Executor& device() { return *testing::gpu().executor; }

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  }
};

class Movement : public OnDevice, public ::testing::WithParamInterface<tests::MovementCase> {};

TEST_P(Movement, MovesEveryByteAsDefined) {
  const auto operands = tests::operands_of(GetParam());
  const auto got = ir::run_op(device(), GetParam().op, operands);
  const auto wanted = tests::moved(GetParam().op, operands);
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(tests::same_bytes(got[i], wanted[i])) << "output " << i;
}

INSTANTIATE_TEST_SUITE_P(, Movement, ::testing::ValuesIn(tests::movement_cases()),
                         [](const auto& tested) { return tested.param.name; });

class Slice : public OnDevice {};

TEST_F(Slice, SpansMoreThan65535Workgroups) {
  constexpr std::int64_t n = 65535 * 512 + 12345;  // 512 bytes a workgroup
  const std::vector<Tensor> x = {tests::noise({DType::u8, {n}})};
  const auto y = ir::run_op(device(), ir::ops::Slice{{0}, {n - 1}, {n}, {-1}}, x)[0];
  const auto from = x[0].as<std::uint8_t>(), got = y.as<std::uint8_t>();
  EXPECT_TRUE(std::equal(got.begin(), got.end(), from.rbegin(), from.rend()));
}

class Gather : public OnDevice {};

TEST_F(Gather, AnIndexOutOfRangeNamesNodePositionAndValue) {
  const auto gather = [&](Tensor indices) {
    return tests::message_of([&] {
      ir::run_op(device(), ir::ops::Gather{}, {Tensor({DType::f32, {5, 2}}), std::move(indices)});
    });
  };
  EXPECT_EQ(gather(Tensor::of<std::int32_t>({2, 2}, {4, -5, 5, 1})),
            "node 'y' (gather): index 5 at position 2 is out of range");
  EXPECT_EQ(gather(Tensor::of<std::int32_t>({1}, {-6})), "node 'y' (gather): index -6 at position 0 is out of range");
  // Both would be in range if their upper halves were not read.
  EXPECT_EQ(gather(Tensor::of<std::int64_t>({1}, {(std::int64_t{1} << 32) + 1})),
            "node 'y' (gather): index 4294967297 at position 0 is out of range");
  EXPECT_EQ(gather(Tensor::of<std::int64_t>({1}, {std::int64_t{-1} - (std::int64_t{1} << 32)})),
            "node 'y' (gather): index -4294967297 at position 0 is out of range");
  EXPECT_EQ(gather(Tensor::of<std::int64_t>({1}, {std::int64_t{0xFFFFFFFF}})),
            "node 'y' (gather): index 4294967295 at position 0 is out of range");
}

TEST_F(Gather, AFaultyRunIsForgottenByTheNext) {
  ir::Graph graph;
  const auto x = graph.input("x", {DType::f32, {2}}), i = graph.input("i", {DType::i32, {1}});
  graph.returns(graph.add("y", ir::ops::Gather{}, {x, i}));
  const auto compiled = device().compile(graph, {}, {graph.results()});
  const auto run = [&](std::int32_t index) {
    const ir::Feeds feeds = {{"x", Tensor::of<float>({2}, {3, 7})}, {"i", Tensor::of<std::int32_t>({1}, {index})}};
    return compiled->run(feeds).at(graph.results()[0]).as<float>()[0];
  };
  EXPECT_THROW(run(2), ir::Error);
  EXPECT_EQ(run(1), 7);
}

/// Rows that workgroups copy by stretches: whole and not, of words of 16, 4 and 1 bytes, taken twice, from the end.
TEST_F(Gather, LongRowsAreCopiedWhole) {
  const std::vector<ir::TensorType> types = {
      {DType::f32, {2, 5, 1024}}, {DType::f32, {2, 5, 301}}, {DType::u8, {2, 5, 129}}, {DType::f16, {2, 5, 2570}}};
  for (const ir::TensorType& type : types) {
    const Tensor x = tests::noise(type);
    const std::vector<std::int32_t> taken = {4, 0, -4, 4};
    const auto y = ir::run_op(device(), ir::ops::Gather{1}, {x, Tensor::of<std::int32_t>({4}, taken)})[0];
    const std::size_t row = x.bytes().size() / 10;
    for (std::size_t a = 0; a < 2; ++a)
      for (std::size_t i = 0; i < 4; ++i) {
        const auto from = a * 5 + static_cast<std::size_t>(taken[i] < 0 ? taken[i] + 5 : taken[i]);
        EXPECT_TRUE(std::ranges::equal(y.bytes().subspan((a * 4 + i) * row, row), x.bytes().subspan(from * row, row)))
            << type << ", row " << a << ", " << i;
      }
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::movement_test
