#include "parity/cases/kept_maps.hpp"

#include <gtest/gtest.h>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::kept_maps_test {
namespace {

using cases::KeepMaps;

compare::RatioMap some_map() { return {{1, 1}, std::vector<std::uint8_t>(4096)}; }

/// An output that passed with that ratio.
cases::NodeResult passed(double ratio) {
  cases::NodeResult node;
  node.verdict = core::Verdict::passed;
  node.local.worst.push_back({.ratio = ratio});
  node.local.map = some_map();
  return node;
}

std::vector<std::size_t> with_map(const std::vector<cases::NodeResult>& nodes) {
  std::vector<std::size_t> found;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].gated().map.is_made()) found.push_back(n);
  return found;
}

TEST(KeptMaps, AreOfWhatIsBeyondItsLimitsAndOfTheWorst) {
  std::vector<cases::NodeResult> nodes;
  for (int n = 0; n < 40; ++n) nodes.push_back(passed(0.01 * n));
  nodes[3].verdict = core::Verdict::failed;
  nodes[5].local.n_bad = 1;  // excused by a policy, say
  keep_maps(nodes, KeepMaps::worst);
  std::vector<std::size_t> wanted = {3, 5};
  for (std::size_t n = 10; n < 40; ++n) wanted.push_back(n);
  EXPECT_EQ(with_map(nodes), wanted);
}

TEST(KeptMaps, AreNotOfWhatIsExact) {
  std::vector<cases::NodeResult> nodes = {passed(0), passed(1e-9), passed(compare::not_computed)};
  keep_maps(nodes, KeepMaps::worst);
  EXPECT_EQ(with_map(nodes), (std::vector<std::size_t>{1}));
}

TEST(KeptMaps, AreAllWhereAllAreAskedFor) {
  std::vector<cases::NodeResult> nodes(100, passed(0.1));
  keep_maps(nodes, KeepMaps::all);
  EXPECT_EQ(with_map(nodes).size(), 100u);
}

TEST(KeptMaps, AreOfEveryFailureHoweverManyThereAre) {
  std::vector<cases::NodeResult> nodes(50, passed(2));
  for (cases::NodeResult& node : nodes) node.verdict = core::Verdict::failed;
  nodes.push_back(passed(0.5));
  keep_maps(nodes, KeepMaps::worst);
  EXPECT_EQ(with_map(nodes).size(), 50u);
}

TEST(KeptMaps, AreOfTheErrorThatIsJudged) {
  std::vector<cases::NodeResult> nodes = {passed(0.1)};
  nodes[0].gates_total = true;
  nodes[0].total.map = some_map();
  nodes[0].total.worst.push_back({.ratio = 0.2});
  keep_maps(nodes, KeepMaps::worst);
  EXPECT_FALSE(nodes[0].local.map.is_made());
  EXPECT_TRUE(nodes[0].total.map.is_made());
}

}  // namespace
}  // namespace plumb::parity::kept_maps_test
