#include "parity/sums/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace plumb::parity::sums::tree_test {
namespace {

using ir::SumJoin;
using ir::SumTake;
using Levels = std::vector<ir::SumLevel>;

const std::vector<Levels>& all_trees() {
  static const std::vector<Levels> trees = {
      {},
      {{}},
      {{.count = 256}, {}},
      {{.count = 5}, {}},
      {{.count = 7}, {}, {.count = 4, .take = SumTake::every, .join = SumJoin::pair}},
      {{}, {.count = 8, .take = SumTake::every, .join = SumJoin::pair}},
      {{}, {.count = 6, .take = SumTake::every}},
      {{.count = 16, .join = SumJoin::unit}, {}},
      {{}, {.count = 4}},
      {{.join = SumJoin::pair}}};
  return trees;
}

/// The mean of Σ s_v² over orders of the terms, by drawing many.
double mean_over_orders(const Tree& tree, std::vector<double> terms, const Additions& additions) {
  std::mt19937 chance(3);
  constexpr int draws = 4000;
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::shuffle(terms.begin(), terms.end(), chance);
    sum += tree.variance(terms, additions);
  }
  return sum / draws;
}

TEST(SumTree, CountsNodesOfEveryTree) {
  std::mt19937 chance(1);
  std::normal_distribution<double> normal(0.3, 1);
  // Neither operand is so small that it says more of an addition than the sum does, but for the accumulator's unit.
  const Additions additions{.unit = 1e-9, .subnormal = 0, .products_round = false};
  for (const Levels& levels : all_trees())
    for (const std::int64_t count : {1, 2, 3, 13, 40}) {
      std::vector<double> terms(static_cast<std::size_t>(count));
      for (double& term : terms) term = normal(chance);
      const double total = std::accumulate(terms.begin(), terms.end(), 0.0);
      const double squares = std::inner_product(terms.begin(), terms.end(), terms.begin(), 0.0);
      const bool is_unit = !levels.empty() && levels.front().join == SumJoin::unit;
      Additions of = additions;
      of.terms_are_numbers = !is_unit;
      const Tree tree(levels, count, of.terms_are_numbers);
      const double spread = squares - total * total / static_cast<double>(count);
      const double wanted = tree.alpha() * total * total + tree.beta() * spread;
      const double found = mean_over_orders(tree, terms, of) / (of.unit * of.unit);
      EXPECT_NEAR(found, wanted, 0.05 * wanted + 1e-12) << levels.size() << " levels, " << count << " terms";
    }
}

TEST(SumTree, OfKnownSizesIsWhatAReaderCountsByHand) {
  const Tree chain({}, 4);  // 2, 3, 4
  EXPECT_EQ(chain.sizes().nodes, 3);
  EXPECT_EQ(chain.sizes().total, 9);
  EXPECT_EQ(chain.sizes().squares, 29);
  EXPECT_EQ(chain.sizes().depth, 3);
  const Tree fused({}, 4, false);  // 1, 2, 3, 4
  EXPECT_EQ(fused.sizes().nodes, 4);
  EXPECT_EQ(fused.sizes().squares, 30);
  const Levels chunks = {{.count = 3}, {}};
  const Tree chunked(chunks, 7);  // 2, 3 and 2, 3, then 6, 7
  EXPECT_EQ(chunked.sizes().nodes, 6);
  EXPECT_EQ(chunked.sizes().total, 23);
  EXPECT_EQ(chunked.sizes().depth, 4);
  const Levels lanes = {{}, {.count = 4, .take = SumTake::every, .join = SumJoin::pair}};
  const Tree laned(lanes, 8);  // 2 four times, then 4, 4 and 8
  EXPECT_EQ(laned.sizes().nodes, 7);
  EXPECT_EQ(laned.sizes().total, 24);
  EXPECT_EQ(laned.sizes().depth, 3);
  const Levels unit = {{.count = 16, .join = SumJoin::unit}, {}};
  EXPECT_EQ(Tree(unit, 64).sizes().nodes, 4);
}

/// The loss of an addition is at most either operand, where the other is a number.
TEST(SumTree, ZerosAndSmallTermsLoseLittle) {
  const Additions additions{.subnormal = 0, .products_round = false};
  const std::vector<double> one_hot = {1, 0, 0, 0, 0x1p-40, 0};
  EXPECT_EQ(Tree({}, 6).variance(one_hot, additions), 0x1p-80);
  Additions fused = additions;
  fused.terms_are_numbers = false;
  EXPECT_EQ(Tree({}, 6, false).variance(one_hot, fused), 0x1p-48 + 0x1p-80);  // the first product is rounded, too
}

TEST(SumTree, OfAnUnknownTreeTheWorstIsTaken) {
  std::vector<double> risen(512, 1.0);
  std::fill(risen.begin() + 256, risen.end(), -1.0);
  const Additions additions{.subnormal = 0, .products_round = false};
  const double most = largest_roundings(risen, additions).variance;
  for (const Levels& levels : {Levels{}, Levels{{.count = 64}, {}}, Levels{{.join = SumJoin::pair}}})
    EXPECT_GE(most, Tree(levels, 512).variance(risen, additions));
}

/// Several elements at once give each the very bits that it has alone: chains of numbers, fused ones, subnormal sums.
TEST(SumTree, SideBySideIsOneByOne) {
  constexpr std::size_t abreast = Tree::side_by_side;
  std::mt19937 chance(5);
  std::normal_distribution<double> normal(0.1, 1);
  for (const Levels& levels : all_trees())
    for (const std::size_t count : {1, 2, 13, 300})
      for (const double scale : {1.0, 0x1p-140})
        for (const bool is_fused : {false, true})
          for (const double flushed : {0.0, 0x1p-126}) {
            const Additions additions{.products_round = !is_fused, .terms_are_numbers = !is_fused, .flushed = flushed};
            std::vector<double> all(count * abreast);
            for (double& term : all) term = scale * normal(chance);
            for (std::size_t k = 0; k < count; ++k) all[k * abreast + 3] = 0;
            all[4] = std::numeric_limits<double>::infinity();
            const auto found = Tree::variances(levels, all, additions);
            for (std::size_t l = 0; l < abreast; ++l) {
              std::vector<double> terms;
              for (std::size_t k = 0; k < count; ++k) terms.push_back(all[k * abreast + l]);
              const double alone = Tree::roundings(levels, terms, additions).variance;
              EXPECT_EQ(std::bit_cast<std::uint64_t>(found[l]), std::bit_cast<std::uint64_t>(alone))
                  << l << " " << count;
            }
          }
}

}  // namespace
}  // namespace plumb::parity::sums::tree_test
