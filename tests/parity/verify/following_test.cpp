// The truth of the whole graph follows the candidate's choices where they are admissible: totals are those of the
// same experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::following_test {
namespace {

using ::testing::Contains;
using testing::make_case;
using testing::node;
using testing::Suspect;
using testing::verify_on;

/// Two groups, of which the second has the larger sum by less than f32 can tell.
constexpr auto near_tie = R"({"format": "plumb.graph/1", "why": "groups within a rounding of each other",
  "inputs": {"scores": {"type": "f32[3, 4]", "values": [0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1, 0.1, 0.3, 0.2, 0.4]},
             "routing": {"type": "f32[3, 4]", "values": [1, 2.98023223876953125e-8, 1, 4.470348358154296875e-8,
                                                         4, 3, 2, 1, 0.5, 1.5, 3, 2]}},
  "nodes": [{"label": "gate", "op": "group_limited_gate", "inputs": ["scores", "routing"], "num_groups": 2,
             "top_groups": 1, "top_k": 2},
            {"label": "behind", "op": "unary", "inputs": ["gate:1"], "function": "exp"}],
  "results": ["gate", "behind"]})";

TEST(Conditioning, TotalsFollowExpertsThatAreTakenAtANearTie) {
  for (const core::Mode mode : {core::Mode::attribute, core::Mode::propagate}) {
    Suspect honest;  // to it the sums are equal, and the first group is kept
    const auto result = verify_on(honest, make_case(near_tie), {.mode = mode});
    EXPECT_EQ(result.verdict, core::Verdict::passed) << ir::enum_name(mode) << result.message;
    for (const char* name : {"gate", "gate:1", "behind"})
      EXPECT_EQ(node(result, name).verdict, core::Verdict::passed)
          << ir::enum_name(mode) << ' ' << name << ": " << node(result, name).why;
    EXPECT_EQ(node(result, "gate").units.decisions.free, 2u);
    EXPECT_THAT(result.notes, Contains("group_limited_gate: 2 of 6 choices of an expert were taken at a near tie"));
    EXPECT_LT(node(result, "gate:1").total.max_abs.value, 1e-6);
    EXPECT_LT(node(result, "behind").total.max_abs.value, 1e-6) << "of other experts it would be 0.1";
  }
}

/// The experts of the first group are admissible: then its weights are, and those of the second are not.
TEST(Conditioning, WeightsOfOtherExpertsThanThoseOfANearTieFail) {
  for (const core::Mode mode : {core::Mode::attribute, core::Mode::propagate}) {
    Suspect wrong;
    wrong.tamper = [](const ir::Node& at, ir::Tensor& y) {
      if (at.label == "gate" && y.dtype() == ir::DType::f32) {
        y.as<float>()[0] = 0.3F / (0.3F + 0.4F);
        y.as<float>()[1] = 0.4F / (0.3F + 0.4F);
      }
    };
    const auto result = verify_on(wrong, make_case(near_tie), {.mode = mode});
    EXPECT_EQ(result.verdict, core::Verdict::failed);
    EXPECT_EQ(node(result, "gate").verdict, core::Verdict::passed) << node(result, "gate").why;
    EXPECT_EQ(node(result, "gate:1").verdict, core::Verdict::failed) << ir::enum_name(mode);
  }
}

TEST(Conditioning, ExpertsThatAreExchangedAwayFromATieFailAtTheGate) {
  Suspect wrong;
  wrong.tamper = [](const ir::Node& at, ir::Tensor& y) {
    if (at.label == "gate" && y.dtype() == ir::DType::i64) std::swap(y.as<std::int64_t>()[0], y.as<std::int64_t>()[1]);
  };
  const auto result = verify_on(wrong, make_case(near_tie));
  EXPECT_EQ(result.verdict, core::Verdict::failed);
  EXPECT_EQ(node(result, "gate").verdict, core::Verdict::failed);
}

/// A quotient is infinite to f32 alone, so that nothing says which token it draws there.
TEST(Conditioning, TheTruthKeepsItsTokenWhereNothingIsKnownOfADraw) {
  constexpr auto graph = R"({"format": "plumb.graph/1", "why": "1e30 over 1e-20 is infinite to f32 alone",
    "inputs": {"logits": {"type": "f32[2, 4]", "values": [1e30, 0, 0, 0, 0, 0, 3e-18, 0]}},
    "nodes": [{"label": "tokens", "op": "sample", "inputs": ["logits"], "temperature": 1e-20},
              {"label": "behind", "op": "cast", "inputs": ["tokens"], "to": "f32"}],
    "results": ["behind"]})";
  Suspect suspect;
  suspect.tamper = [](const ir::Node& at, ir::Tensor& y) {
    if (at.label == "tokens") y.as<std::int64_t>()[0] = 3;
  };
  const auto result = verify_on(suspect, make_case(graph));
  EXPECT_EQ(node(result, "tokens").units.decisions.free, 0u);
  EXPECT_EQ(node(result, "behind").total.max_abs.value, 3) << "the truth draws the first";
}

/// A code beside a tie, and one that is off by one.
TEST(Conditioning, TotalsFollowCodesThatRoundingsAllow) {
  constexpr auto graph = R"({"format": "plumb.graph/1", "why": "0.15 over 0.1 is a tie to f32 alone",
    "inputs": {"x": {"type": "f32[3]", "values": [0.15, 0.62, -0.37]}, "scale": {"type": "f32[]", "values": [0.1]}},
    "nodes": [{"label": "codes", "op": "quantize_linear", "inputs": ["x", "scale"]},
              {"label": "numbers", "op": "dequantize_linear", "inputs": ["codes", "scale"]}],
    "results": ["numbers"]})";
  for (const std::int8_t first : {1, 2}) {
    Suspect suspect;
    suspect.tamper = [first](const ir::Node& at, ir::Tensor& y) {
      if (at.label == "codes") y.as<std::int8_t>()[0] = first;
    };
    const auto result = verify_on(suspect, make_case(graph));
    EXPECT_EQ(result.verdict, core::Verdict::passed) << result.message;
    EXPECT_LT(node(result, "numbers").total.max_abs.value, 1e-6) << int{first};
  }
}

}  // namespace
}  // namespace plumb::parity::following_test
