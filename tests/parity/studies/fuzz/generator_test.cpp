// Cases of plumb fuzz: the same everywhere, whole, and of every op.
#include "parity/studies/fuzz/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "ir/formats/graph_file.hpp"
#include "ir/op_list.hpp"
#include "parity/core/sha256.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::testing::generator_test {
namespace {

using namespace parity::studies::fuzz;

/// How many single cases have each op.
std::map<std::string, int> ops_of(std::uint64_t cases) {
  std::map<std::string, int> found;
  for (std::uint64_t number = 0; number < cases; number += 2)
    ++found[std::string(draw_case({}, number).file.graph.nodes().front().op.name())];
  return found;
}

/// The names and texts of all cases, as one hash.
std::string hash_of(std::uint64_t cases) {
  std::string all;
  for (std::uint64_t number = 0; number < cases; ++number) {
    const DrawnCase drawn = draw_case({}, number);
    all += drawn.name + '\n' + ir::formats::write_graph(drawn.file);
  }
  return parity::core::sha256(all);
}

/// Another hash is another meaning of all numbers of cases: count generator_version up, and write the hashes anew.
TEST(Generator, GivesTheCommittedCases) {
  EXPECT_EQ(hash_of(120), "7e4f3f1a0feb92a887ae0f3e8511b76ea56b209639660aae3aca880d85c42e75");
  if (std::getenv("PLUMB_ALL_FUZZ_CASES") != nullptr) {
    EXPECT_EQ(hash_of(2000), "d6d6d18f3965906e66bb520bfd5a23ad3d99710b716637afe22f603eaf1d7752");
  }
}

TEST(Generator, CasesAreReadAsTheyAreWritten) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    const DrawnCase drawn = draw_case({.seed = 3}, number);
    SCOPED_TRACE(drawn.name);
    const auto read = ir::formats::parse_graph(ir::formats::write_graph(drawn.file), ".");
    EXPECT_EQ(ir::formats::write_graph(read), ir::formats::write_graph(drawn.file));
    EXPECT_EQ(read.graph.nodes().size() == 1, is_single(number));
    EXPECT_NO_THROW(ir::formats::materialise(read, 1));
  }
}

/// Each round has every op: no draw of any op fails so often that another stands in for it.
TEST(Generator, EveryOpComesOnceARound) {
  const std::size_t ops = ir::all_schemas().size();
  const auto found = ops_of(2 * ops);
  for (const ir::OpSchema* schema : ir::all_schemas())
    EXPECT_EQ(found.count(std::string(schema->name)), 1u) << schema->name;
}

TEST(Generator, CasesAreFunctionsOfSeedAndNumber) {
  const auto text = [](const GeneratorOptions& options, std::uint64_t number) {
    return ir::formats::write_graph(draw_case(options, number).file);
  };
  EXPECT_EQ(text({.seed = 5}, 7), text({.seed = 5}, 7));
  EXPECT_NE(text({.seed = 5}, 7), text({.seed = 6}, 7));
  EXPECT_NE(text({.seed = 5}, 7), text({.seed = 5}, 9));
  EXPECT_EQ(text({.seed = 5, .most_nodes = 3}, 8), text({.seed = 5}, 8)) << "a single case has one node";
  for (std::uint64_t number = 1; number < 41; number += 2)
    EXPECT_LE(draw_case({.most_nodes = 3}, number).file.graph.nodes().size(), 3u);
}

TEST(Generator, GraphsGrowToManyNodes) {
  std::size_t largest = 0, nodes = 0;
  for (std::uint64_t number = 1; number < 81; number += 2) {
    const std::size_t here = draw_case({}, number).file.graph.nodes().size();
    largest = std::max(largest, here);
    nodes += here;
  }
  EXPECT_GE(largest, 10u);
  EXPECT_GE(nodes, 200u) << "of 40 graphs";
}

TEST(Generator, BlocksAreJudgedInManyWays) {
  std::map<std::string, int> fills;
  int relations = 0, repeated = 0;
  for (std::uint64_t block = 0; block < 400; ++block) {
    const Judging judging = judging_of({}, block);
    ++fills[judging.fill];
    relations += judging.relations ? 1 : 0;
    repeated += judging.repeat > 1 ? 1 : 0;
  }
  EXPECT_EQ(fills.size(), 23u) << "as the file says, exact, and 21 adversarial kinds";
  EXPECT_GT(relations, 60);
  EXPECT_GT(repeated, 25);
}

}  // namespace
}  // namespace plumb::testing::generator_test
