#include "ir/ops/einsum.hpp"

#include <gtest/gtest.h>

#include "ir/ops/dot_general.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::einsum_test {
namespace {

using ops::DotGeneral;
using ops::Einsum;

TensorTypes types(const std::vector<Shape>& shapes) {
  TensorTypes types;
  for (const Shape& shape : shapes) types.push_back({DType::f32, shape});
  return types;
}

Shape shape_of(const std::string& equation, const std::vector<Shape>& shapes) {
  return infer(Einsum{equation}, types(shapes)).at(0).shape;
}

std::string refusal(const Op& op, const std::vector<Shape>& shapes) {
  return tests::message_of([&] { infer(op, types(shapes)); });
}

TEST(EinsumTypes, FollowTheEquation) {
  EXPECT_EQ(shape_of("ij,jk->ki", {{2, 3}, {3, 5}}), (Shape{5, 2}));
  EXPECT_EQ(shape_of("ij,jk", {{2, 3}, {3, 5}}), (Shape{2, 5}));
  EXPECT_EQ(shape_of("ba", {{2, 3}}), (Shape{3, 2}));
  EXPECT_EQ(shape_of("aB", {{2, 3}}), (Shape{3, 2}));
  EXPECT_EQ(shape_of("ii", {{4, 4}}), (Shape{}));
  EXPECT_EQ(shape_of("ij->", {{2, 3}}), (Shape{}));
  EXPECT_EQ(shape_of("i...,i...->...", {{2, 7, 1}, {2, 1, 5}}), (Shape{7, 5}));
  EXPECT_EQ(shape_of("...a,...a", {{3, 2}, {7, 3, 2}}), (Shape{7, 3}));
  EXPECT_EQ(shape_of("i->i...", {{3}}), (Shape{3}));
  EXPECT_EQ(shape_of(" i j -> j i ", {{1, 3}}), (Shape{3, 1}));
}

TEST(EinsumTypes, Refuse) {
  const auto of = [](const char* equation, const std::vector<Shape>& shapes) {
    return refusal(Einsum{equation}, shapes);
  };
  EXPECT_EQ(of("i1->i", {{2, 2}}),
            "equation must consist of terms of letters and at most one ellipsis each, separated by commas, and at most "
            "one -> term: '1' in 'i1', equation is 'i1->i' (C1)");
  for (const char* bad : {"i..j", "i->j->k", "i;j", "...i...", "i-j", "i->j,k", "i."})
    EXPECT_NE(of(bad, {{2, 2}}).find("(C1)"), std::string::npos) << bad;
  EXPECT_NE(refusal(Einsum{std::string("i\0j", 3)}, {{2, 2}}).find("term: '?' in 'i?j', equation is 'i?j' (C1)"),
            std::string::npos);
  EXPECT_LT(refusal(Einsum{std::string(100'000, 'i') + ";"}, {{2, 2}}).size(), 600u);
  EXPECT_EQ(
      of("ij,jk->ik", {{2, 3}}),
      "each input must have a term, which names all of its axes: the equation has 2, there are 1 inputs, equation "
      "is 'ij,jk->ik' (C2)");
  for (const char* bad : {"i", "ijk", "ijk...", ""})
    EXPECT_NE(of(bad, {{2, 2}}).find("(C2)"), std::string::npos) << bad;
  EXPECT_EQ(of("ij,jk->ik", {{2, 3}, {1, 4}}),
            "a letter must have one extent everywhere: 'j' is 3 and 1, equation is 'ij,jk->ik' (C3)");
  EXPECT_NE(of("...,...", {{2, 3}, {2, 4}}).find("(C3)"), std::string::npos);
  EXPECT_NE(of("ii", {{2, 3}}).find("(C3)"), std::string::npos);
  for (const char* bad : {"ij->k", "ij->ii", "...j->j"})
    EXPECT_NE(of(bad, {{2, 2}}).find("(C4)"), std::string::npos) << bad;
  const Shape twos(8, 2);
  EXPECT_NE(of("abcdefgh,ijklmnop,abcdefghijklmnop->", {twos, twos, twos}).find("(C2)"), std::string::npos);
  EXPECT_NE(of("abcdefgh,ijklmnop,abcdijkl,efghmnop->", {twos, twos, twos, twos}).find("(C5)"), std::string::npos);
  EXPECT_NE(refusal(Einsum{"i"}, {}), "");
}

TEST(EinsumPlan, SumsOwnLabelsFirstAndThenMultipliesFromTheLeft) {
  const auto plan = kernels::plan_einsum("xij,jk,ky->iy", {{9, 2, 3}, {3, 5}, {5, 7}});
  ASSERT_EQ(plan.steps.size(), 3u);
  EXPECT_EQ(plan.steps[0].result, (kernels::Labels{'i', 'j'}));
  EXPECT_EQ(plan.steps[1].result, (kernels::Labels{'i', 'k'}));
  EXPECT_EQ(plan.steps[1].terms[0].tensor, 3u);  // the first step's
  EXPECT_EQ(plan.steps[2].result, (kernels::Labels{'i', 'y'}));
  EXPECT_EQ(plan.flops, 9 * 2 * 3 + 2 * 2 * 3 * 5 + 2 * 2 * 5 * 7);
  EXPECT_EQ(plan.longest_sum, 9);
}

TEST(DotGeneralTypes, BatchThenFreeAxes) {
  const DotGeneral op{{2, 0}, {0, 1}, {-1}, {2}};
  EXPECT_EQ(infer(op, types({{2, 3, 5, 7}, {5, 2, 7, 11}})).at(0).shape, (Shape{5, 2, 3, 11}));
  EXPECT_EQ(infer(DotGeneral{}, types({{2}, {3}})).at(0).shape, (Shape{2, 3}));
}

TEST(DotGeneralTypes, Refuse) {
  EXPECT_EQ(refusal(DotGeneral{{0}, {}, {}, {}}, {{2}, {2}}),
            "batch lists must be of one length, contract lists too, and must name no axis twice: batch axes are [0] of "
            "f32[2] and [] of f32[2], contracted ones [] and [] (C1)");
  EXPECT_NE(refusal(DotGeneral{{0}, {0}, {-2}, {1}}, {{2, 2}, {2, 2}}).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(DotGeneral{{}, {}, {1}, {0}}, {{2, 3}, {2, 3}}),
            "paired axes must have one extent: axis 1 of f32[2, 3], axis 0 of f32[2, 3] (C2)");
  EXPECT_EQ(refusal(DotGeneral{{}, {}, {2}, {0}}, {{2, 3}, {2, 3}}), "axis 2 is outside rank 2");
}

}  // namespace
}  // namespace plumb::ir::einsum_test
