// Sums and choices of two numbers on a device that takes numbers below the smallest normal for 0.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/binary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/compare/compare.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::bounds::flushed_operands_test {
namespace {

using ir::Tensor;

std::uint64_t bad(ir::ops::BinaryFunction function, float a, float b, float got, bool flushes) {
  const Tensor x = Tensor::of<float>({1}, {a}), y = Tensor::of<float>({1}, {b});
  const ir::TensorTypes types = {x.type(), y.type()};
  const core::Segment segment = core::segment_of(ir::graph_of(ir::ops::Binary{function}, types), 0);
  ref_cpu::CpuExecutor cpu;
  const auto lookup = [&](ir::Value v) { return ir::passes::widen(v == 0 ? x : y); };
  const Bounded bounded = evaluate_bounded(cpu, segment, lookup, {{}, flushes});
  return compare::compare(bounded.truth.outputs[0], Tensor::of<float>({1}, {got}), bounded.allowed[0]).n_bad;
}

TEST(FlushedOperands, OfASumMayBothVanish) {
  const float least = std::numeric_limits<float>::min(), x = 0.75f * least, y = 0.6f * least;
  EXPECT_EQ(bad(ir::ops::BinaryFunction::add, x, y, 0.0f, true), 0u) << "the sum is normal, and both of it are not";
  EXPECT_EQ(bad(ir::ops::BinaryFunction::add, x, y, 0.0f, false), 1u);
  EXPECT_EQ(bad(ir::ops::BinaryFunction::add, 2 * least, 3 * least, 0.0f, true), 1u) << "neither of these vanishes";
}

}  // namespace
}  // namespace plumb::parity::bounds::flushed_operands_test
