// Names that become pairs, and pairs of tensors that become an answer.
#include "parity/studies/closeness/closeness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/error.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/studies/closeness/closeness_report.hpp"
#include "parity/studies/closeness/names.hpp"

namespace plumb::parity::studies::closeness::closeness_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string renamed(const std::string& by, const std::string& name) { return Renaming(by, "--map")(name); }

TEST(CompareNames, AreChangedAsSedDoes) {
  EXPECT_EQ(renamed("s/^gpu\\///", "gpu/layer/q"), "layer/q");
  EXPECT_EQ(renamed("s,/,.,", "a/b/c"), "a.b/c");
  EXPECT_EQ(renamed("s,/,.,g", "a/b/c"), "a.b.c");
  EXPECT_EQ(renamed("s/(a)(b)/\\2\\1/", "xab"), "xba");
  EXPECT_EQ(renamed("s/b+/<&>/", "abbc"), "a<bb>c");
  EXPECT_EQ(renamed("s/b/\\&/", "abc"), "a&c");
  EXPECT_EQ(renamed("s/q/r/", "abc"), "abc");
  for (const char* const wrong : {"s/a", "s/a/b", "a/b/c/", "s/a/b/x", "s/(/b/", "s/a/\\1/", "", "s\\a\\b\\"})
    EXPECT_THROW(Renaming(wrong, "--map"), ir::Error) << wrong;
}

TEST(CompareNames, ComeInTheOrderOfTheirNumbers) {
  EXPECT_TRUE(comes_before("layer2/q", "layer10/a"));
  EXPECT_FALSE(comes_before("layer10/a", "layer2/q"));
  EXPECT_TRUE(comes_before("a", "b"));
  EXPECT_TRUE(comes_before("a", "a1"));
  EXPECT_TRUE(comes_before("a01", "a2"));
  EXPECT_FALSE(comes_before("a", "a"));
  EXPECT_NE(comes_before("a01", "a1"), comes_before("a1", "a01"));
}

TEST(CompareNames, ArePairedAsToldAndThenByName) {
  const Pairings made = pair({"x", "mine", "y"}, {"y", "theirs", "z"}, {{"mine", "theirs"}}, {});
  ASSERT_EQ(made.pairs.size(), 2u);
  EXPECT_EQ(made.pairs[0].b, "theirs");
  EXPECT_EQ(made.pairs[1].a, "y");
  EXPECT_THAT(made.only_a, ElementsAre("x"));
  EXPECT_THAT(made.only_b, ElementsAre("z"));
  EXPECT_THROW(pair({"a", "b"}, {"a"}, {}, {Renaming("s/[ab]/c/", "--map")}), ir::Error);
  EXPECT_THROW(pair({"a"}, {"a"}, {{"q", "a"}}, {}), ir::Error);
  EXPECT_EQ(pair({""}, {"out"}, {}, {}).pairs.size(), 1u);
  EXPECT_TRUE(pair({"in"}, {"out"}, {}, {}).pairs.empty());
  EXPECT_THROW(parse_names("a b\n", "f"), ir::Error);
  EXPECT_THROW(parse_names("a\tb\na\tc\n", "f"), ir::Error);
  EXPECT_THROW(parse_names("a\tb\nc\tb\n", "f"), ir::Error);
  EXPECT_EQ(parse_names("a\tb\r\n\nc\td", "f").size(), 2u);
}

Compared compared(const std::vector<float>& a, const std::vector<float>& b, const Rule& rule) {
  const auto extent = static_cast<std::int64_t>(a.size());
  const ir::Tensor x = ir::Tensor::of<float>({extent}, a), y = ir::Tensor::of<float>({extent}, b);
  Compared made{.name = "t", .a = "t", .b = "t", .type_a = x.type(), .type_b = y.type()};
  hold(x, y, rule, made);
  return made;
}

TEST(Closeness, NamesTheWorstElementAndTheFirst) {
  const Compared made = compared({1, 2, 3, 4}, {1, 2.5f, 3, 8}, {});
  EXPECT_EQ(made.standing, Standing::beyond);
  EXPECT_EQ(made.differing, 2u);
  EXPECT_EQ(made.beyond, 2u);
  EXPECT_EQ(made.first->index, 1u);
  EXPECT_EQ(made.worst->index, 3u);
  EXPECT_EQ(made.worst->error, 4);
  EXPECT_NEAR(made.worst->ratio(), 4 / (1e-5 + 1.3e-6 * 8), 1e-1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compared({9, nan}, {1, 1}, {}).worst->index, 1u) << "a NaN is worse than any number";
  EXPECT_EQ(compared({1, -0.0f}, {1, 0}, {}).differing, 1u);
  EXPECT_EQ(compared({1, -0.0f}, {1, 0}, {}).standing, Standing::within);
  EXPECT_EQ(compared({}, {}, {}).standing, Standing::within);
}

TEST(Closeness, HoldsAWholeTensorToTheErrorOfGgml) {
  const Rule rule{.style = Style::ggml, .limit = 0.25};
  EXPECT_EQ(compared({2, 0}, {1, 0}, rule).standing, Standing::within);  // 1 / 4
  const Compared beyond = compared({2, 0}, {1, 1}, rule);                // 2 / 4
  EXPECT_EQ(beyond.standing, Standing::beyond);
  EXPECT_EQ(beyond.of_tensor, 0.5);
  EXPECT_EQ(beyond.beyond, 0u);
}

TEST(Closeness, AsksAPolicyAndSaysWhereItHasNoAnswer) {
  const policy::Policy policy = policy::parse(R"(schema = "plumb-policy/1"
[[rule]]
id = "near"
match = {node = "t"}
require = {max_abs = 0.5}
[[rule]]
id = "bound"
match = {node = "u"}
require = {ratio_max = 0.5}
)",
                                              "p.toml");
  const ir::Tensor a = ir::Tensor::of<float>({2}, {1, 2}), b = ir::Tensor::of<float>({2}, {1, 2.5f}),
                   c = ir::Tensor::of<float>({2}, {1, 3});
  const auto standing = [&](const char* name, const ir::Tensor& x) {
    Compared made{.name = name, .a = name, .b = name, .type_a = a.type(), .type_b = a.type()};
    hold(a, x, PolicyRule{.policy = &policy, .today = policy::today()}, made);
    return made.standing;
  };
  EXPECT_EQ(standing("t", b), Standing::within);
  EXPECT_EQ(standing("t", c), Standing::beyond);
  EXPECT_EQ(standing("u", b), Standing::unjudged);
  EXPECT_EQ(standing("u", a), Standing::within);
  EXPECT_EQ(standing("v", b), Standing::unjudged);
}

TEST(Closeness, EndsAsItsTensorsDo) {
  Comparison all{.a = "a", .b = "b", .rule = Rule()};
  EXPECT_EQ(exit_code(all, false), core::ExitCode::nothing_ran);
  all.tensors.push_back(compared({1}, {1}, {}));
  EXPECT_EQ(exit_code(all, false), core::ExitCode::passed);
  all.only_b = {"x"};
  EXPECT_EQ(exit_code(all, false), core::ExitCode::passed);
  EXPECT_EQ(exit_code(all, true), core::ExitCode::mistrusted);
  all.tensors.push_back({.name = "w", .standing = Standing::unjudged, .why = "no rule"});
  EXPECT_EQ(exit_code(all, false), core::ExitCode::mistrusted);
  all.tensors.push_back(compared({1}, {2}, {}));
  EXPECT_EQ(exit_code(all, true), core::ExitCode::failed);
  EXPECT_EQ(all.first(), &all.tensors.back());
  all.tensors.push_back({.name = "z", .standing = Standing::other, .why = "is f32[1] in A, f32[2] in B"});
  EXPECT_EQ(exit_code(all, false), core::ExitCode::tool_error);
  const std::string text = to_text(all, false, {});
  EXPECT_THAT(text, HasSubstr("'t' is the first beyond its limit: 1 of 1 elements beyond; the worst is element [0]: "
                              "1 in A, 2 in B, off by 1, "));
  EXPECT_THAT(text, HasSubstr("\n'z': is f32[1] in A, f32[2] in B\n"));
  EXPECT_THAT(to_json(all, false), HasSubstr("\"first_beyond\": \"t\""));
}

}  // namespace
}  // namespace plumb::parity::studies::closeness::closeness_test
