#include "ir/ops/rope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ref_cpu::rope_test {
namespace {

using ir::Shape;
using ir::Tensor;
using ir::ops::Rope;
using ir::ops::RopeLayout;

std::vector<double> rope(const Rope& op, const std::vector<Tensor>& operands) {
  CpuExecutor cpu;
  const auto y = ir::run_op(cpu, op, operands)[0];
  return {y.as<double>().begin(), y.as<double>().end()};
}

// Rows of a table whose row t turns by t quarters of a circle: exact.
const Tensor quarters_cos = Tensor::of<double>({4, 2}, {1, 1, 0, 0, -1, -1, 0, 0});
const Tensor quarters_sin = Tensor::of<double>({4, 2}, {0, 0, 1, 1, 0, 0, -1, -1});

TEST(Rope, TurnsHalvesOrNeighbours) {
  const auto x = Tensor::of<double>({1, 1, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4});
  EXPECT_EQ(rope({}, {x, quarters_cos, quarters_sin}), (std::vector<double>{1, 2, 3, 4, -3, -4, 1, 2}));
  EXPECT_EQ(rope({.interleaved = true}, {x, quarters_cos, quarters_sin}),
            (std::vector<double>{1, 2, 3, 4, -2, 1, -4, 3}));
}

TEST(Rope, InverseTurnsBack) {
  const auto x = Tensor::of<double>({1, 1, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4});
  EXPECT_EQ(rope({.inverse = true}, {x, quarters_cos, quarters_sin}), (std::vector<double>{1, 2, 3, 4, 3, 4, -1, -2}));
}

/// By an eighth of a circle, of equal numbers: a product that is fused with the difference would leave what the other
/// one lost by being rounded.
TEST(Rope, ProductsAreRoundedEachByItself) {
  constexpr std::int64_t pairs = 18;
  const Tensor x = Tensor::of<double>({1, 1, 1, 2 * pairs}, std::vector<double>(2 * pairs, 1 + 0x1p-30));
  const Tensor table = Tensor::of<double>({1, pairs}, std::vector<double>(pairs, 0.7071067811865476));
  for (const bool interleaved : {false, true}) {
    const auto y = rope({.interleaved = interleaved}, {x, table, table});
    EXPECT_EQ(std::ranges::count(y, 0.0), pairs) << interleaved;
  }
}

TEST(Rope, CopiesWhatIsNotRotated) {
  const auto x = Tensor::of<double>({1, 1, 1, 7}, {1, 2, 3, 4, std::nan(""), -0.0, 7});
  const auto y = rope({.rotary_dim = 4, .offset = 1}, {x, quarters_cos, quarters_sin});
  EXPECT_EQ(std::vector(y.begin(), y.begin() + 4), (std::vector<double>{-3, -4, 1, 2}));
  EXPECT_TRUE(std::isnan(y[4]));
  EXPECT_TRUE(y[5] == 0 && std::signbit(y[5]));
  EXPECT_EQ(y[6], 7);
}

TEST(Rope, LayoutsGiveTheSameHeads) {
  // Two heads of two tokens; token 1 turns by a quarter.
  const auto bhsd = Tensor::of<double>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto bshd = Tensor::of<double>({1, 2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8});
  const auto cos = Tensor::of<double>({2, 1}, {1, 0}), sin = Tensor::of<double>({2, 1}, {0, 1});
  EXPECT_EQ(rope({}, {bhsd, cos, sin}), (std::vector<double>{1, 2, -4, 3, 5, 6, -8, 7}));
  EXPECT_EQ(rope({.layout = RopeLayout::bshd}, {bshd, cos, sin}), (std::vector<double>{1, 2, 5, 6, -4, 3, -8, 7}));
}

TEST(Rope, RowsComeFromPositionsOrTheBatchesOwnTables) {
  const auto x = Tensor::of<double>({2, 1, 2, 2}, {1, 2, 1, 2, 1, 2, 1, 2});
  const auto cos = Tensor::of<double>({4, 1}, {1, 0, -1, 0}), sin = Tensor::of<double>({4, 1}, {0, 1, 0, -1});
  const std::vector<double> turned = {2, -1, -2, 1, 1, 2, 2, -1};  // 3, 1 quarters; 0, 3 quarters
  EXPECT_EQ(rope({.has_positions = true}, {x, cos, sin, Tensor::of<std::int32_t>({2, 2}, {3, 1, 0, 3})}), turned);
  EXPECT_EQ(rope({.has_positions = true}, {x, cos, sin, Tensor::of<std::int64_t>({2}, {3, 1})}),
            (std::vector<double>{2, -1, -2, 1, 2, -1, -2, 1}));
  const Shape own{2, 2, 1};
  EXPECT_EQ(rope({}, {x, Tensor::of<double>(own, {0, 0, 1, 0}), Tensor::of<double>(own, {-1, 1, 0, -1})}), turned);
}

TEST(Rope, HalfFloatsRoundOnce) {
  // 1 + 2^-10 and 3 turned by cos = sin = 1: the difference and the sum round to f16 from f32.
  const auto half = [](float value) { return ir::f16(value); };
  const auto x = Tensor::of<ir::f16>({1, 1, 1, 2}, {half(1.0009765625f), half(3)});
  const auto one = Tensor::of<ir::f16>({1, 1}, {half(1)});
  CpuExecutor cpu;
  const auto y = ir::run_op(cpu, Rope{}, {x, one, one})[0];
  EXPECT_EQ(float(y.as<ir::f16>()[0]), -1.9990234375f);
  EXPECT_EQ(float(y.as<ir::f16>()[1]), 4.0f);  // 4.0009765625 lies between 4 and 4.00390625
}

TEST(Rope, APositionWithoutARowIsNamed) {
  const auto run = [](Tensor positions) {
    const auto x = Tensor::of<double>({1, 1, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4});
    return tests::message_of([&] {
      rope({.has_positions = true}, {x, quarters_cos, quarters_sin, std::move(positions)});
    });
  };
  EXPECT_EQ(run(Tensor::of<std::int32_t>({1, 2}, {3, 4})), "node 'y' (rope): positions[1] is 4, outside [0, 4)");
  EXPECT_EQ(run(Tensor::of<std::int64_t>({2}, {-1, 0})), "node 'y' (rope): positions[0] is -1, outside [0, 4)");
}

}  // namespace
}  // namespace plumb::ref_cpu::rope_test
