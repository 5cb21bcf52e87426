#include "parity/foreign/pairing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/unary.hpp"
#include "parity/foreign/name_map.hpp"

namespace plumb::parity::foreign::pairing_test {
namespace {

using ir::DType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t count = 40;

/// x, and then `count` values called "Layer3/out" and so on.
ir::formats::GraphFile chain(std::size_t length = count) {
  ir::formats::GraphFile file;
  ir::Value last = file.graph.input("x", {DType::f32, {2, 3}});
  for (std::size_t k = 0; k < length; ++k) last = file.graph.add(ir::cat("Layer", k, "/out"), ir::ops::Unary{}, {last});
  file.graph.returns(last);
  return file;
}

std::vector<Offered> offer(const std::vector<std::string>& names) {
  std::vector<Offered> made;
  for (const std::string& name : names) made.push_back({name, {DType::f32, {2, 3}}});
  return made;
}

/// Names of the chain's values, in reverse order, as `rename` spells them.
template <class Rename>
std::vector<Offered> renamed(Rename rename) {
  std::vector<std::string> names;
  for (std::size_t k = count; k-- > 0;) names.push_back(rename(k));
  return offer(names);
}

/// Expects value k of the chain to be the tensor that stands k places from the end.
void expect_all(const Pairs& pairs, Pairing method) {
  ASSERT_EQ(pairs.values.size(), count);
  for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(pairs.values.at(k + 1), (Paired{count - 1 - k, method, {}})) << k;
}

Pairs pair(const ir::formats::GraphFile& file, const std::vector<Offered>& offered, const std::string& map = "") {
  return pair_by_name(
      Names(file), offered,
      map.empty() ? std::nullopt : std::optional(parse_map("schema = \"plumb-map/1\"\n" + map, "m.toml")));
}

std::string refusal(const std::string& text) {
  try {
    parse_map(text, "m.toml");
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refused(const std::string& rules) { return refusal("schema = \"plumb-map/1\"\n" + rules); }

TEST(Pairing, FindsFortyValuesByEachMethod) {
  const auto file = chain();
  expect_all(pair(file, renamed([](auto k) { return ir::cat("Layer", k, "/out"); })), Pairing::exact);
  expect_all(pair(file, renamed([](auto k) { return ir::cat("model.m.LAYER", k, ".out:0"); })), Pairing::normal);
  expect_all(pair(file, renamed([](auto k) { return ir::cat("m.layers.", k, ".output"); }),
                  "\"Layer*/out\" = \"m.layers.*.output\""),
             Pairing::map);
  const auto strange = renamed([](auto k) { return ir::cat("t", 7 * k); });
  Pairs pairs = pair(file, strange);
  EXPECT_THAT(pairs.values, IsEmpty());
  ValueNorms truths;
  for (std::size_t k = 0; k < count; ++k) truths.emplace(k + 1, 1 + static_cast<double>(k));
  const auto norm = [](std::size_t tensor) { return 1.0005 * static_cast<double>(count - tensor); };
  pair_by_statistics(file.graph, strange, truths, norm, pairs);
  expect_all(pairs, Pairing::statistics);
}

TEST(Pairing, NeverPairsTwoOfEqualNorm) {
  const auto file = chain(3);
  const auto pairs_of = [&](const ValueNorms& truths, const std::vector<double>& norms, std::size_t named = 0) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < norms.size(); ++k)
      names.push_back(k < named ? ir::cat("Layer", k, "/out") : ir::cat("t", k));
    Pairs pairs = pair(file, offer(names));
    pair_by_statistics(
        file.graph, offer(names), truths, [&](std::size_t k) { return norms[k]; }, pairs);
    std::map<ir::Value, std::size_t> found;
    for (const auto& [value, paired] : pairs.values)
      if (paired.method == Pairing::statistics) found.emplace(value, paired.tensor);
    return found;
  };
  using Found = std::map<ir::Value, std::size_t>;
  EXPECT_EQ(pairs_of({{1, 5}, {2, 5}, {3, 9}}, {5, 9}), (Found{{3, 1}}));     // two truths
  EXPECT_EQ(pairs_of({{1, 5}, {2, 7}, {3, 9}}, {5, 5, 7}), (Found{{2, 2}}));  // two tensors
  EXPECT_EQ(pairs_of({{1, 5}, {2, 5.004}, {3, 9}}, {5}), Found{});            // within the tolerance of both
  EXPECT_EQ(pairs_of({{1, 5}, {2, 5}, {3, 9}}, {5, 5}, 1), Found{});          // one of them has a pair by name
  EXPECT_EQ(pairs_of({{1, 0}, {2, NAN}, {3, INFINITY}}, {0, NAN, INFINITY}), Found{});
  EXPECT_EQ(pairs_of({{1, 5}}, {5.006}), Found{});
}

TEST(Pairing, ComparesNormsOfEqualShapesAndClassesOfDtypes) {
  const auto file = chain(1);
  Pairs pairs;
  const auto five = [](std::size_t) { return 5.0; };
  pair_by_statistics(file.graph, {{"a", {DType::f32, {3, 2}}}, {"b", {DType::i32, {2, 3}}}}, {{1, 5}}, five, pairs);
  EXPECT_THAT(pairs.values, IsEmpty());
  pair_by_statistics(file.graph, {{"a", {DType::f64, {2, 3}}}}, {{0, 5}, {1, 5}, {99, 5}}, five, pairs);
  EXPECT_EQ(pairs.values.at(1).method, Pairing::statistics);
  EXPECT_DOUBLE_EQ(norm_of(ir::Tensor::of<float>({2}, {3, -4})), 5);
  EXPECT_DOUBLE_EQ(norm_of(ir::Tensor::of<std::complex<float>>({1}, {{3, 4}})), 5);
  EXPECT_EQ(norm_of(ir::Tensor({DType::f16, {0}})), 0);
}

TEST(Pairing, LeavesAmbiguousNamesAlone) {
  ir::formats::GraphFile file;
  const ir::Value x = file.graph.input("x", {DType::f32, {2, 3}});
  for (const char* label : {"Relu", "relu", "a.b", "a_b"})
    file.graph.returns(file.graph.add(label, ir::ops::Unary{}, {x}));
  const auto one_to_two = pair(file, offer({"RELU", "y"}));
  EXPECT_THAT(one_to_two.values, IsEmpty());
  EXPECT_THAT(one_to_two.notes, ElementsAre(HasSubstr("'RELU' is not paired: 2 values")));
  const auto two_to_one = pair(file, offer({"a/b", "A:b"}));
  EXPECT_THAT(two_to_one.values, IsEmpty());
  EXPECT_THAT(two_to_one.notes, ElementsAre(HasSubstr("'a/b' and 'A:b' are not paired")));
  const auto exact = pair(file, offer({"relu", "Relu", "A_B"}));
  EXPECT_EQ(exact.values.at(1).tensor, 1u);
  EXPECT_EQ(exact.values.at(2).tensor, 0u);
  EXPECT_EQ(exact.values.at(4), (Paired{2, Pairing::normal, {}}));  // '_' is no separator
  EXPECT_FALSE(exact.values.contains(3));
}

TEST(Pairing, PrefersAGraphsOwnNamesToAliases) {
  auto file = chain(2);
  file.aliases = {{"identity", 2}, {"dropped", 1}};
  const auto pairs = pair(file, offer({"identity", "Layer1/out", "dropped"}));
  EXPECT_EQ(pairs.values.at(2).tensor, 1u);
  EXPECT_EQ(pairs.values.at(1), (Paired{2, Pairing::exact, {}}));
  EXPECT_THAT(unmatched(Names(file), offer({"identity", "Layer1/out", "dropped"}), pairs), IsEmpty());
}

TEST(Pairing, NamesTheNearestValueOfWhatItCannotPair) {
  const auto file = chain(2);
  const auto offered = offer({"Layer0/outt", "Layer1/out"});
  EXPECT_THAT(unmatched(Names(file), offered, pair(file, offered)),
              ElementsAre("'Layer0/outt' is no value of the graph; did you mean Layer0/out?"));
  std::vector<std::string> many;
  for (int k = 0; k < 50; ++k) many.push_back(ir::cat("t", k));
  const auto notes = unmatched(Names(file), offer(many), pair(file, offer(many)));
  EXPECT_EQ(notes.size(), 21u);
  EXPECT_THAT(notes.back(), HasSubstr("30 more tensors"));
}

TEST(NameMap, TransposesAndSaysWhichRulesMatchNothing) {
  const auto file = chain(2);
  std::vector<Offered> offered = offer({"conv0", "b"});
  offered[0].type.shape = {3, 2};
  const auto pairs = pair(file, offered,
                          "\"Layer0/out\" = { from = \"conv0\", transpose = [1, 0] }\n"
                          "\"Layer1/uot\" = \"b\"\n\"Layer1/out\" = \"c0nv0\"\n");
  EXPECT_EQ(pairs.values.at(1), (Paired{0, Pairing::map, {1, 0}}));
  EXPECT_EQ(pairs.values.size(), 1u);
  EXPECT_THAT(pairs.notes, ElementsAre("m.toml:3: matches nothing: no value is called 'Layer1/uot'; did you mean "
                                       "Layer1/out?",
                                       "m.toml:4: matches nothing: no tensor is called 'c0nv0'; did you mean conv0?"));
  EXPECT_THROW(pair(file, offered, "\"Layer0/out\" = { from = \"conv0\", transpose = [0, 2, 1] }"), ir::Error);
  EXPECT_THROW(pair(file, offered, "\"Layer0/out\" = \"conv0\"\n\"Layer*/out\" = \"b\"\n\"Layer*\" = \"b\""),
               ir::Error);
  EXPECT_THROW(pair(file, offer({"a", "b0/out"}), "\"Layer0/out\" = \"a\"\n\"Layer*\" = \"b*\""), ir::Error);
}

TEST(NameMap, RefusesWithTheLineWhatItDoesNotUnderstand) {
  EXPECT_THAT(refusal(""), HasSubstr("m.toml:1: wanted schema"));
  EXPECT_THAT(refusal("schema = \"plumb-map/2\""), HasSubstr("wanted plumb-map/1, found 'plumb-map/2'"));
  EXPECT_THAT(refusal("schema = 1"), HasSubstr("schema: wanted a string, found an integer"));
  EXPECT_THAT(refusal("["), HasSubstr("m.toml:1: no TOML"));
  EXPECT_THAT(refused(""), HasSubstr("has no rule"));
  EXPECT_THAT(refused("a = 1"), HasSubstr("m.toml:2: a: wanted a string, found an integer"));
  EXPECT_THAT(refused("a = \"\""), HasSubstr("wanted a name"));
  EXPECT_THAT(refused("\"\" = \"a\""), HasSubstr("found an empty one"));
  EXPECT_THAT(refused("\"a*\" = \"b\""), HasSubstr("wanted one '*' on both sides or on neither, found 1 and 0"));
  EXPECT_THAT(refused("\"a**\" = \"b**\""), HasSubstr("found 2 and 2"));
  EXPECT_THAT(refused("a = { from = \"b\", transpos = [0] }"), HasSubstr("found 'transpos'; did you mean transpose?"));
  EXPECT_THAT(refused("a.b = \"c\""), HasSubstr("a name with dots stands in quotes"));
  EXPECT_THAT(refused("a = { transpose = [0] }"), HasSubstr("a: wanted from"));
  EXPECT_THAT(refused("a = { from = \"b\", transpose = 1 }"), HasSubstr("wanted a list of axes"));
  EXPECT_THAT(refused("a = { from = \"b\", transpose = [] }"), HasSubstr("wanted 1 to 8 axes, found 0"));
  for (const char* axes : {"0, 0", "0, 2", "-1, 0", "0.0, 1", "\"0\", 1"})
    EXPECT_THAT(refused(ir::cat("a = { from = \"b\", transpose = [", axes, "] }")), HasSubstr("each of 0 to 1 once"));
  EXPECT_THAT(refused("a = { from = \"b\", transpose = [0,1,2,3,4,5,6,7,8] }"), HasSubstr("1 to 8 axes, found 9"));
  std::string many;
  for (int k = 0; k < 4096; ++k) many += ir::cat("a", k, " = \"b\"\n");
  EXPECT_THAT(refused(many), HasSubstr("wanted at most 4096 rules, found 4097"));
  EXPECT_THAT(refused(std::string(1 << 20, '#')), HasSubstr("at most 1048576 bytes"));
}

}  // namespace
}  // namespace plumb::parity::foreign::pairing_test
