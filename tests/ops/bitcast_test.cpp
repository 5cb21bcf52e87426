#include "ir/ops/bitcast.hpp"

#include <gtest/gtest.h>

#include "ir/passes/widen.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::bitcast_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Bitcast;

TEST(Bitcast, EveryPairOfOneWidthKeepsTheBits) {
  ref_cpu::CpuExecutor cpu;
  for (std::size_t a = 1; a < ir::dtype_count; ++a)
    for (std::size_t b = 1; b < ir::dtype_count; ++b) {
      const auto from = static_cast<DType>(a), to = static_cast<DType>(b);
      if (ir::info(from).bytes != ir::info(to).bytes) continue;
      const Tensor x = tests::noise({from, {3, 5}}), y(ir::TensorView({to, {3, 5}}, x.bytes()));
      EXPECT_TRUE(tests::same_bytes(ir::run_op(cpu, Bitcast{to}, {x}).front(), y)) << from << " to " << to;
      if (testing::gpu().executor == nullptr) continue;
      const auto got = ir::run_op(*testing::gpu().executor, Bitcast{to}, {x}).front();
      EXPECT_TRUE(tests::same_bytes(got, y)) << from << " to " << to << " on the GPU";
    }
}

TEST(Bitcast, IntegersHaveATruthAndFloatsHaveNone) {
  testing::check_op(Bitcast{DType::u32}, {testing::random_tensor({DType::i32, {7}}, 1)});
  ir::Graph graph;
  graph.returns(graph.add("y", Bitcast{DType::i32}, {graph.input("x", {DType::f32, {2}})}));
  EXPECT_THROW(ir::passes::widen(graph), ir::Unsupported);
  EXPECT_EQ(tests::message_of([&] { ir::passes::widen(graph); }),
            "node 'y' (bitcast): f32 has no wider truth with the same bits");
}

}  // namespace
}  // namespace plumb::bitcast_test
