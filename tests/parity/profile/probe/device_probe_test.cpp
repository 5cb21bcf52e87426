#include <gtest/gtest.h>

#include "ir/fill.hpp"
#include "ir/ops/matmul.hpp"
#include "parity/profile/emulator.hpp"
#include "parity/profile/probe/one_op.hpp"
#include "parity/profile/probe/probe.hpp"
#include "parity/profile/probe/products.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::parity::profile::probe::device_probe_test {
namespace {

/// The device's records of how it adds in an op that runs alone.
std::vector<ir::Sum> published(const ir::Op& op, const std::vector<ir::Tensor>& operands) {
  ir::Graph graph;
  const ir::Value a = graph.input("a", operands[0].type()), b = graph.input("b", operands[1].type());
  const ir::Value y = graph.add("y", op, {a, b});
  graph.returns(y);
  return testing::gpu().executor->compile(graph, {}, {{y}, false})->nodes().at(0).sums;
}

/// The arithmetic that the probe found with tiny sums replays products that it never saw, bit for bit.
void replays(ir::DType dtype, profile::probe::ProductShape shape, std::int64_t m, std::int64_t k, std::int64_t n) {
  ir::Executor& device = *testing::gpu().executor;
  const auto found = profile::probe::probe_products(device, false, dtype, shape);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->is_known()) << profile::to_toml({.products = {*found}});
  const std::vector<ir::Tensor> operands = {ir::fill({dtype, {m, k}}, {}, 1, 1), ir::fill({dtype, {k, n}}, {}, 1, 2)};
  ir::ops::Matmul product;
  product.output_dtype = ir::DType::f32;
  const auto sums = published(product, operands);
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].unit, found->unit);
  EXPECT_EQ(sums[0].accumulator, found->accumulator);
  ASSERT_TRUE(profile::is_replayable(sums[0], k));
  const auto got = profile::probe::run_on_device(device, false, product, operands);
  ASSERT_TRUE(got);
  const std::vector<ir::TensorView> views(operands.begin(), operands.end());
  const auto replayed = profile::emulate(product, views, got->type(), *found, sums[0]);
  ASSERT_TRUE(replayed);
  EXPECT_TRUE(std::ranges::equal(got->bytes(), replayed->bytes())) << profile::to_toml({.products = {*found}});
}

/// By the kernels of narrow accesses and by those of wide ones.
void replays(ir::DType dtype) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  replays(dtype, {16, 16, true}, 37, 301, 43);
  replays(dtype, {16, 16}, 40, 240, 48);  // too few terms to be split between workgroups, which is another kernel
}

TEST(Probe, WhatItFindsOfF32ReplaysTheDevice) { replays(ir::DType::f32); }
TEST(Probe, WhatItFindsOfF16ReplaysTheDevice) { replays(ir::DType::f16); }
TEST(Probe, WhatItFindsOfBf16ReplaysTheDevice) { replays(ir::DType::bf16); }

}  // namespace
}  // namespace plumb::parity::profile::probe::device_probe_test
