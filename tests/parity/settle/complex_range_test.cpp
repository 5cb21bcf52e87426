// Complex numbers of which a part, or a product on the way to it, leaves the range.
#include "parity/settle/ranges/complex_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "ir/ops/binary.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/settle/range.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::settle::complex_range_test {
namespace {

using ir::Tensor;
using Single = std::complex<float>;
using Double = std::complex<double>;

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

struct Judged {
  std::uint64_t apart = 0, bad = 0, without_limit = 0;
};

template <class T>
Judged judge(const ir::Op& op, const std::vector<Tensor>& in, const std::vector<T>& got) {
  ir::TensorTypes types;
  for (const Tensor& one : in) types.push_back(one.type());
  const core::Segment segment = core::segment_of(ir::graph_of(op, types), 0);
  ref_cpu::CpuExecutor cpu;
  const bounds::Manner manner;
  const bounds::Bounded bounded = bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value v) { return ir::passes::widen(in.at(v)); }, manner);
  const Tensor y = Tensor::of<T>(segment.graph.type(segment.outputs[0]).shape, got);
  const std::vector<ir::TensorView> inputs(in.begin(), in.end());
  std::optional<Tensor> native;
  const Tensor& truth = bounded.truth.outputs[0];
  const OutOfRange range =
      set_out_of_range_apart({cpu, segment, inputs, {}, manner}, 0, truth, bounded.allowed[0], y, native);
  const compare::Comparison found = compare::compare(truth, y, range.allowed);
  Judged judged;
  judged.apart = range.count;
  judged.bad = found.n_bad;
  judged.without_limit = found.n_without_limit;
  return judged;
}

const ir::Op multiply = ir::ops::Binary{ir::ops::BinaryFunction::multiply};

/// (2e19 + 2e19 i)², whose products are beyond f32: the real part is 0, the imaginary one beyond the range. Then a
/// number whose real part alone has products beyond it, and an ordinary one.
Judged squared(const std::vector<Single>& got) {
  const Tensor x = Tensor::of<Single>({3}, {{2e19f, 2e19f}, {2e19f, 1e-19f}, {1, 2}});
  return judge(multiply, {x, x}, got);
}

TEST(ComplexRange, APartThatNeedNotBeANumberIsExcused) {
  EXPECT_EQ(squared({{nan, infinity}, {infinity, 4}, {-3, 4}}).bad, 0u) << "as the plain formula has it";
  EXPECT_EQ(squared({{0, infinity}, {infinity, 4}, {-3, 4}}).bad, 0u) << "with more range inside";
  EXPECT_EQ(squared({{infinity, infinity}, {infinity, 4}, {-3, 4}}).apart, 1u) << "as C's Annex G has it";
  EXPECT_EQ(squared({{nan, nan}, {infinity, 4}, {-3, 4}}).bad, 0u);
}

TEST(ComplexRange, AWrongPartInTheRangeIsNot) {
  EXPECT_EQ(squared({{1e38f, infinity}, {infinity, 4}, {-3, 4}}).bad, 1u) << "an overflow does not end at a number";
  EXPECT_EQ(squared({{nan, infinity}, {infinity, nan}, {-3, 4}}).bad, 1u) << "nothing overflows in that part";
  EXPECT_EQ(squared({{nan, infinity}, {infinity, 4}, {-3, nan}}).bad, 1u);
  EXPECT_EQ(squared({{nan, 7}, {infinity, 4}, {-3, 4}}).bad, 1u) << "the other part of an excused one";
}

TEST(ComplexRange, SquaresAreProducts) {
  const Tensor x = Tensor::of<Single>({2}, {{2e19f, 2e19f}, {1, 2}});
  const ir::Op square = ir::ops::Unary{ir::ops::UnaryFunction::square};
  EXPECT_EQ(judge<Single>(square, {x}, {{nan, infinity}, {-3, 4}}).bad, 0u);
  EXPECT_EQ(judge<Single>(square, {x}, {{nan, infinity}, {nan, 4}}).bad, 1u);
}

TEST(ComplexRange, ProductsBroadcast) {
  const Tensor a = Tensor::of<Single>({2, 1}, {{2e19f, 2e19f}, {1, 2}}),
               b = Tensor::of<Single>({2}, {{3e19f, 3e19f}, {1, 1}});
  EXPECT_EQ(judge<Single>(multiply, {a, b}, {{nan, infinity}, {0, 4e19f}, {-3e19f, 9e19f}, {-1, 3}}).apart, 1u);
  EXPECT_EQ(judge<Single>(multiply, {a, b}, {{0, infinity}, {nan, 4e19f}, {-3e19f, 9e19f}, {-1, 3}}).bad, 1u);
}

TEST(ComplexRange, SumsOfProductsAndSumsAreLookedAtPartByPart) {
  const Tensor a = Tensor::of<Single>({1, 2}, {{2e19f, 2e19f}, {2e19f, 2e19f}});
  const Tensor b = Tensor::of<Single>({2, 1}, {{2e19f, 2e19f}, {2e19f, 2e19f}});
  EXPECT_EQ(judge<Single>(ir::ops::Matmul{}, {a, b}, {{nan, infinity}}).apart, 1u);
  EXPECT_EQ(judge<Single>(ir::ops::Matmul{}, {a, b}, {{3e38f, infinity}}).bad, 1u);
  const Tensor x = Tensor::of<Single>({4}, {{3e38f, 1}, {-3e38f, 1}, {3e38f, 1}, {-3e38f, 1}});
  const ir::Op sum = ir::ops::Reduce{ir::ops::ReduceFunction::sum, {0}, false};
  EXPECT_EQ(judge<Single>(sum, {x}, {{nan, 4}}).apart, 1u);
  EXPECT_EQ(judge<Single>(sum, {x}, {{0, infinity}}).bad, 1u);
}

TEST(ComplexRange, ARunningProductStaysBeyondIt) {
  const Tensor x = Tensor::of<Single>({4}, {{1e30f, 1e30f}, {1e30f, 0}, {1e-30f, 0}, {1e-30f, 0}});
  const ir::Op product = ir::ops::Cumulative{.function = ir::ops::CumulativeFunction::product, .axis = 0};
  const Single first = {1e30f, 1e30f}, lost = {nan, infinity};
  EXPECT_EQ(judge<Single>(product, {x}, {first, lost, lost, lost}).bad, 0u);
  EXPECT_EQ(judge<Single>(product, {x}, {lost, lost, lost, lost}).bad, 1u) << "the first is one factor";
  const Tensor tame = Tensor::of<Single>({2}, {{1, 1}, {1, 1}});
  EXPECT_EQ(judge<Single>(product, {tame}, {{1, 1}, {nan, 2}}).bad, 1u);
}

/// The truth of doubles has no more range than the candidate.
TEST(ComplexRange, OfDoublesNothingIsKnownBeyondIt) {
  const Tensor x = Tensor::of<Double>({2}, {{1e200, 1e200}, {1, 2}});
  constexpr double beyond = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  for (const Double came : {Double{none, beyond}, Double{0, beyond}, Double{beyond, none}}) {
    const Judged one = judge<Double>(multiply, {x, x}, {came, {-3, 4}});
    EXPECT_EQ(one.bad + one.without_limit, 0u) << came;
  }
  EXPECT_EQ(judge<Double>(multiply, {x, x}, {{none, beyond}, {-3, 4.1}}).bad, 1u);
}

}  // namespace
}  // namespace plumb::parity::settle::complex_range_test
