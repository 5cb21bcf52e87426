// The search for the order of summation, with what kernels publish withheld.
#include "parity/profile/probe/trees.hpp"

#include <gtest/gtest.h>

#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "parity/profile/emulator.hpp"
#include "parity/profile/probe/product_lines.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::profile::probe::trees_test {
namespace {

using Sum = ir::Sum;
using enum ir::SumTake;
using enum ir::SumJoin;

ir::TensorType f32(ir::Shape shape) { return {ir::DType::f32, std::move(shape)}; }

/// Adds up what a product of these operands asks for along a tree.
class Adder {
 public:
  Adder(ir::SumUnit unit, Levels levels) : unit_(unit), levels_(std::move(levels)) {}

  std::vector<core::TrialEnd> operator()(const std::vector<core::Trial>& trials) const {
    const ProductEmulator emulator(plain_products(unit_ == ir::SumUnit::fma), levels_);
    std::vector<core::TrialEnd> ends;
    for (const core::Trial& trial : trials) {
      const ir::Tensor &a = trial.feeds.at("x0"), &b = trial.feeds.at("x1");
      const std::int64_t rows = a.shape()[0], terms = a.shape()[1], columns = b.shape()[1];
      ir::Tensor y(f32({rows, columns}));
      for (std::int64_t m = 0; m < rows; ++m)
        for (std::int64_t n = 0; n < columns; ++n) {
          std::vector<float> column;
          for (std::int64_t k = 0; k < terms; ++k)
            column.push_back(b.as<float>()[static_cast<std::size_t>(k * columns + n)]);
          const auto row = a.as<float>().subspan(static_cast<std::size_t>(m * terms), column.size());
          y.as<float>()[static_cast<std::size_t>(m * columns + n)] = emulator.dot(row, column);
        }
      core::TrialEnd end;
      end.values.emplace(trial.graph.results().front(), std::move(y));
      end.nodes.emplace_back().kernel = "mine";
      ends.push_back(std::move(end));
    }
    return ends;
  }

 private:
  ir::SumUnit unit_;
  Levels levels_;
};

std::optional<MeasuredSum> found_by(const core::RunTrials& run, const ProductPlace& place) {
  return settled(*inquire_tree(place), run);
}

/// Whether two trees of so many terms meet in the same places.
bool is_one_tree(const Levels& a, const Levels& b, std::size_t terms) {
  const std::vector<float> ones(terms, 1.0f);
  const ProductEmulator first(plain_products(true), a), second(plain_products(true), b);
  for (const std::size_t at : {std::size_t{0}, terms / 3, terms - 1})
    for (std::size_t k = 0; k < terms; ++k) {
      if (k == at) continue;
      std::vector<float> mask = ones;
      mask[at] = 0x1p60f;
      mask[k] = -0x1p60f;
      if (first.dot(mask, ones) != second.dot(mask, ones)) return false;
    }
  return true;
}

TEST(TreeSearch, FindsTheLevelsOfManyKernels) {
  const std::vector<Levels> trees = {
      {{}},
      {{.count = 16}, {}},
      {{.count = 37}, {}},
      {{}, {.count = 8, .take = every, .join = pair}},
      {{}, {.count = 12, .take = every, .join = chain}},
      {{.count = 16}, {}, {.count = 4, .take = every, .join = pair}},
      {{}, {.count = 4, .join = chain}},
      {{}, {.count = 4, .join = pair}},
      {{.count = 10}, {.count = 3}, {}},
      {{}, {.count = 4, .take = every, .join = pair}, {.count = 2, .take = every, .join = chain}}};
  constexpr std::int64_t terms = 240;
  for (const Levels& levels : trees)
    for (const ir::SumUnit unit : {ir::SumUnit::fma, ir::SumUnit::separate})
      for (const ir::Shape& shape : {ir::Shape{5, terms}, ir::Shape{1, terms}}) {
        const Sum wanted{.unit = unit, .levels = levels};
        const auto found = found_by(Adder(unit, levels), {ir::ops::Matmul{}, {f32(shape), f32({terms, 3})}});
        ASSERT_TRUE(found) << ir::to_text(wanted);
        EXPECT_EQ(found->sum.unit, unit) << ir::to_text(wanted);
        EXPECT_TRUE(is_one_tree(found->sum.levels, levels, terms))
            << ir::to_text(wanted) << " is not " << ir::to_text(found->sum);
        EXPECT_EQ(found->kernel, "mine");
      }
}

/// A tree that no levels describe, lines that differ and numbers of another precision are not taken for something else.
TEST(TreeSearch, SaysNothingOfWhatItDoesNotKnow) {
  const ProductPlace place{ir::ops::Matmul{}, {f32({4, 96}), f32({96, 4})}};
  const Adder chain(ir::SumUnit::separate, {{}});
  EXPECT_TRUE(found_by(chain, place));
  const auto by_another = [&](const auto& change) {
    return found_by(
        [&](const std::vector<core::Trial>& trials) {
          auto ends = chain(trials);
          for (std::size_t i = 0; i < ends.size(); ++i) change(ends[i].values.begin()->second.template as<float>(), i);
          return ends;
        },
        place);
  };
  EXPECT_FALSE(by_another([](std::span<float> y, std::size_t) { y[1] = std::nextafter(y[1], 0.0f); }));
  EXPECT_FALSE(by_another([](std::span<float> y, std::size_t i) {
    if (i == 40)
      for (float& x : y) x += 1;
  }));
  EXPECT_FALSE(found_by(
      [](const std::vector<core::Trial>& trials) {
        return std::vector<core::TrialEnd>(trials.size(), core::TrialEnd{.refused = "no"});
      },
      place));
  EXPECT_FALSE(found_by(chain, {ir::ops::Matmul{}, {f32({4, 2}), f32({2, 4})}}));
}

/// Published sums of the CPU executor are not looked at: its chunks are found by what it computes.
TEST(TreeSearch, FindsTheChunksOfTheCpu) {
  ref_cpu::CpuExecutor cpu;
  const std::vector<ProductPlace> places = {
      {ir::ops::Matmul{}, {f32({7, 600}), f32({600, 5})}},
      {ir::ops::Matmul{.transpose_b = true, .output_dtype = {}}, {f32({2, 3, 520}), f32({2, 5, 520})}},
      {ir::ops::Gemm{.transpose_a = true, .has_c = true}, {f32({300, 4}), f32({300, 9}), f32({9})}},
      {ir::ops::Matmul{}, {f32({1, 700}), f32({700, 33})}}};
  for (const ProductPlace& place : places) {
    const auto terms = static_cast<std::size_t>(ProductLines::of(place)->terms());
    const core::TrialEnd published = core::one_by_one(cpu)({ProductLines::of(place)->trial(
        std::vector<std::vector<float>>(1, std::vector<float>(terms, 1.0f)), std::vector<float>(terms, 1.0f))})[0];
    const Sum& wanted = published.nodes.at(0).sums.at(0);
    const auto found = found_by(core::one_by_one(cpu), place);
    ASSERT_TRUE(found) << place.operands[0];
    EXPECT_EQ(found->op, place.op.name());
    EXPECT_EQ(found->sum.unit, wanted.unit);
    EXPECT_TRUE(is_one_tree(found->sum.levels, wanted.levels, terms)) << ir::to_text(found->sum);
  }
}

TEST(TreeSearch, LooksAtEachProductOfAModelOnce) {
  ir::Graph graph;
  const ir::Value x = graph.input("x", f32({4, 8})), w = graph.input("w", f32({8, 8}));
  const ir::Value first = graph.add("first", ir::ops::Matmul{}, {x, w});
  const ir::Value second = graph.add("second", ir::ops::Matmul{}, {first, w});
  graph.returns(graph.add("third", ir::ops::Gemm{.alpha = 2}, {second, w}));
  const auto places = products_of(graph);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].operands[0], f32({4, 8}));
}

TEST(TreeSearch, WeightsStayWeights) {
  ir::Graph graph;
  const ir::Value x = graph.input("x", f32({4, 96})), w = graph.param("w", f32({96, 8}));
  graph.add("y", ir::ops::Matmul{}, {x, w});
  graph.add("again", ir::ops::Matmul{}, {x, w});
  const std::vector<ProductPlace> places = products_of(graph);
  ASSERT_EQ(places.size(), 1u);
  const auto lines = ProductLines::of(places.front()).value();
  const core::Trial trial = lines.trial(std::vector<std::vector<float>>{}, std::vector<float>(96, 1));
  EXPECT_EQ(trial.graph.inputs().size(), 1u);
  ASSERT_EQ(trial.graph.params().size(), 1u);
  EXPECT_EQ(trial.feeds.at(trial.graph.params()[0]).shape(), ir::Shape({96, 8}));
}

TEST(TreeSearch, LeavesOutWhatIsBothOfWeightsAndOfValues) {
  ir::Graph graph;
  const ir::Value x = graph.input("x", f32({4, 96})), v = graph.input("v", f32({96, 8}));
  const ir::Value w = graph.param("w", f32({96, 8}));
  graph.add("y", ir::ops::Matmul{}, {x, w});
  graph.add("z", ir::ops::Matmul{}, {x, v});
  EXPECT_TRUE(products_of(graph).empty());
}

}  // namespace
}  // namespace plumb::parity::profile::probe::trees_test
