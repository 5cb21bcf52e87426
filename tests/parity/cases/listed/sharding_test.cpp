// Shares of cases: whole, disjoint, alike whatever the order, and about as long.
#include "parity/cases/listed/sharding.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "ir/error.hpp"

namespace plumb::parity::cases {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Le;

/// Cases of which every third was not measured; times spread over three powers of ten.
std::vector<CaseCost> some_cases(std::size_t count) {
  std::mt19937 random(7);
  std::vector<CaseCost> cases;
  for (std::size_t i = 0; i < count; ++i) {
    const double seconds = std::pow(10.0, std::uniform_real_distribution(-1.0, 2.0)(random));
    CaseCost one{.id = "models/" + std::to_string(i) + ".onnx", .flops = seconds * 3e9};
    if (i % 3 != 0) one.seconds = seconds;
    cases.push_back(one);
  }
  return cases;
}

std::map<std::string, std::uint16_t> by_id(const std::vector<CaseCost>& cases, std::uint16_t count) {
  const std::vector<std::uint16_t> shares = shares_of(cases, count);
  std::map<std::string, std::uint16_t> named;
  for (std::size_t i = 0; i < cases.size(); ++i) named[cases[i].id] = shares[i];
  return named;
}

TEST(Sharding, EveryCaseIsInOneShareWhateverTheOrder) {
  std::vector<CaseCost> cases = some_cases(96);
  for (const std::uint16_t count : {1, 2, 3, 8, 200}) {
    const auto shares = by_id(cases, count);
    EXPECT_EQ(shares.size(), cases.size());
    for (const auto& [id, share] : shares) EXPECT_TRUE(1 <= share && share <= count) << id << " is in " << share;
    std::vector<CaseCost> shuffled = cases;
    std::ranges::shuffle(shuffled, std::mt19937(count));
    EXPECT_EQ(by_id(shuffled, count), shares);
    EXPECT_EQ(partition_of(shuffled, count), partition_of(cases, count));
  }
}

TEST(Sharding, SharesTakeAboutAsLong) {
  const std::vector<CaseCost> cases = some_cases(96);
  const std::vector<double> weights = weights_of(cases);
  const std::vector<std::uint16_t> shares = shares_of(cases, 8);
  std::vector<double> loads(8);
  for (std::size_t i = 0; i < cases.size(); ++i) loads[shares[i] - 1u] += weights[i];
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / 8;
  EXPECT_THAT(loads, Each(Le(1.15 * mean)));
}

TEST(Sharding, WhatWasNotMeasuredTakesAsLongAsItsFlopsDoAtTheMedianRate) {
  const std::vector<CaseCost> cases = {{.id = "a", .flops = 10, .seconds = 1},
                                       {.id = "b", .flops = 40, .seconds = 2},
                                       {.id = "c", .flops = 90, .seconds = 3},
                                       {.id = "d", .flops = 60}};
  EXPECT_THAT(weights_of(cases), ElementsAre(1, 2, 3, 3));  // rates 10, 20 and 30
  EXPECT_THAT(weights_of(std::vector<CaseCost>{{.id = "a", .flops = 5}, {.id = "b", .flops = 7}}), ElementsAre(5, 7));
}

TEST(Sharding, CasesOfNoWeightAreSpread) {
  const std::vector<CaseCost> cases = {{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"}};
  EXPECT_THAT(shares_of(cases, 4), ElementsAre(1, 2, 3, 4));
}

TEST(Sharding, ThePartitionIsNamedByAllThatItDependsOn) {
  std::vector<CaseCost> cases = some_cases(9);
  std::set<std::string> names = {partition_of(cases, 2), partition_of(cases, 3)};
  cases.back().seconds = 1000;
  names.insert(partition_of(cases, 3));
  cases.back().id = "another";
  names.insert(partition_of(cases, 3));
  cases.pop_back();
  names.insert(partition_of(cases, 3));
  EXPECT_EQ(names.size(), 5u);
}

TEST(Sharding, NobodyCannotShare) {
  EXPECT_THROW(shares_of(some_cases(3), 0), ir::Error);
  EXPECT_THAT(shares_of({}, 3), ElementsAre());
}

}  // namespace
}  // namespace plumb::parity::cases
