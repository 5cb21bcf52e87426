// How the text of operands becomes letters, lists and relations.
#include "parity/check/sketch.hpp"

#include <gmock/gmock.h>

#include "ir/ops/attention.hpp"
#include "ir/ops/causal_conv.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/layer_norm.hpp"

namespace plumb::parity::check::sketch_test {
namespace {

std::optional<std::int64_t> only(std::string_view text, const Letters& letters) {
  const auto forms = parse_forms(text);
  return forms.at(0).entries.at(0).extent(letters);
}

TEST(Sketch, TermsAreComputed) {
  const Letters letters = {{"H", 5}, {"C", 12}, {"g", 3}, {"k", 1}};
  EXPECT_EQ(only("[4H]", letters), 20);
  EXPECT_EQ(only("[C/g]", letters), 4);
  EXPECT_EQ(only("[k-1]", letters), 0);
  EXPECT_EQ(only("[C + H - 1]", letters), 16);
  EXPECT_EQ(only("[7]", letters), 7);
}

TEST(Sketch, WhatDoesNotComeOutHasNoExtent) {
  EXPECT_EQ(only("[C/g]", {{"C", 13}, {"g", 3}}), std::nullopt);
  EXPECT_EQ(only("[C/g]", {{"C", 13}, {"g", 0}}), std::nullopt);
  EXPECT_EQ(only("[k-1]", {{"k", 0}}), std::nullopt);
  EXPECT_EQ(only("[unknown]", {}), std::nullopt);
  EXPECT_EQ(only("[4H]", {{"H", std::int64_t{1} << 62}}), std::nullopt);
}

TEST(Sketch, FormsAreRead) {
  const auto forms = parse_forms("[P, n/2] or [B, S, n/2]");
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_EQ(forms[1].entries.size(), 3u);
  EXPECT_EQ(parse_forms("as x")[0].like, "x");
  EXPECT_TRUE(parse_forms("broadcasts to [M, N]")[0].broadcasts);
  EXPECT_EQ(parse_forms("shape of indices")[0].like, "indices");
  EXPECT_TRUE(parse_forms("[]")[0].entries.empty());
  EXPECT_EQ(parse_forms("[.. n ..]")[0].entries.size(), 3u);
  EXPECT_EQ(parse_forms("[.., n, ..]")[0].entries[2].list, trailing_list);
  EXPECT_EQ(parse_forms("[m axes.., j..]")[0].entries[0].list, "m axes..");
}

TEST(Sketch, OtherTextIsRefused) {
  for (const char* const text : {"", "M, K", "[M", "[M, ]", "[M*K]", "[C/]", "[99999999999999999999]", "[-]"})
    EXPECT_THROW(parse_forms(text), ir::Error) << text;
}

TEST(Sketch, OperandsThatAreSwitchedOffAreNone) {
  Random random(1);
  EXPECT_EQ(sketch_of(ir::ops::LayerNorm{}, random).operands.size(), 3u);
  EXPECT_EQ(sketch_of(ir::ops::LayerNorm{.has_bias = false}, random).operands.size(), 2u);
  EXPECT_EQ(sketch_of(ir::ops::CausalConv{.has_state = true}, random).operands.back().name, "state");
}

TEST(Sketch, AttributesPlaceAxes) {
  Random random(1);
  const Length in_front = sketch_of(ir::ops::Gather{.axis = 2}, random).lengths.at("..");
  EXPECT_EQ(in_front.least, 2u);
  EXPECT_EQ(in_front.most, 2u);
  EXPECT_EQ(sketch_of(ir::ops::Gather{.axis = -1}, random).lengths.at(std::string(trailing_list)).most, 0u);
  const Sketch attention = sketch_of(ir::ops::Attention{.layout = ir::ops::AttentionLayout::bshd}, random);
  EXPECT_EQ(attention.operands[0].forms[0].entries[2].terms[0].letter, "Hq");
}

}  // namespace
}  // namespace plumb::parity::check::sketch_test
