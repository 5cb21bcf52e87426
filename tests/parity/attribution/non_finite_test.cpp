#include "parity/attribution/non_finite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "parity/report/report.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::attribution::non_finite_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

cases::CaseResult verified(const std::string& inputs, const std::string& nodes, const std::string& result) {
  testing::Suspect honest;
  return testing::verify_on(
      honest, testing::make_case(R"({"format": "plumb.graph/1", "why": "not finite", "inputs": {)" + inputs +
                                 R"(}, "nodes": [)" + nodes + R"(], "results": [")" + result + "\"]}"));
}

/// The origins of a case's first NaN and of its first infinity, as text.
std::vector<std::string> origins(const cases::CaseResult& result) {
  std::vector<std::string> texts;
  for (const cases::NonFiniteOrigin& one : result.non_finite) texts.push_back(to_text(one));
  return texts;
}

constexpr auto three = R"("x": {"type": "f32[3]", "values": [1, 0, 4]}, "y": {"type": "f32[1]", "values": [-2]})";

TEST(NonFinite, TheFirstNaNIsThatOfInfinitiesThatMeet) {
  const auto result = verified(three, R"({"label": "l", "op": "unary", "inputs": ["x"], "function": "log"},
    {"label": "d", "op": "binary", "inputs": ["l", "l"], "function": "subtract"},
    {"label": "e", "op": "binary", "inputs": ["d", "y"], "function": "multiply"})",
                               "e");
  EXPECT_THAT(origins(result), ElementsAre("first infinity: node 'l' (domain), 1 element; element 1 from log(0)",
                                           "first NaN: node 'd' (domain), 1 element, 1 node inherits; element 1 from "
                                           "-inf - -inf"));
  EXPECT_THAT(
      report::to_table(result, report::Detail::all),
      HasSubstr("note: first NaN: node 'd' (domain), 1 element, 1 node inherits; element 1 from -inf - -inf\n"));
  const auto json = nlohmann::json::parse(report::to_json(std::vector{result})).at("cases").at(0);
  EXPECT_EQ(json.at("non_finite").at(1).at("kind"), "nan");
  EXPECT_EQ(json.at("non_finite").at(1).at("node"), "d");
  EXPECT_EQ(json.at("non_finite").at(1).at("element"), 1);
  EXPECT_EQ(json.at("non_finite").at(1).at("from"), "-inf - -inf");
  EXPECT_EQ(json.at("non_finite").at(1).at("special"), "domain");
  EXPECT_EQ(json.at("non_finite").at(1).at("elements"), 1);
  EXPECT_EQ(json.at("non_finite").at(1).at("heirs"), 1);
  EXPECT_EQ(json.at("nodes").at(2).at("special"), "inherited");
  EXPECT_EQ(json.at("nodes").at(2).at("special_at"), 1);
}

TEST(NonFinite, AnElementIsThatOfTheBroadcastOperand) {
  const auto result = verified(
      R"("x": {"type": "f32[2, 3]", "values": [1, 2, 3, 4, 5, -6]}, "y": {"type": "f32[3]", "values": [1, 1, 0.5]})",
      R"({"label": "p", "op": "binary", "inputs": ["x", "y"], "function": "power"})", "p");
  EXPECT_THAT(origins(result), ElementsAre("first NaN: node 'p' (domain), 1 element; element 5 from power(-6, 0.5)"));
}

TEST(NonFinite, AnOverflowOfF16IsAnInfinity) {
  const auto cast = verified(R"("x": {"type": "f32[2]", "values": [1, -70000]})",
                             R"({"label": "h", "op": "cast", "inputs": ["x"], "to": "f16"})", "h");
  EXPECT_THAT(origins(cast),
              ElementsAre("first infinity: node 'h' (overflow), 1 element; element 1 from cast(-70000); the truth is "
                          "-70000, beyond f16"));
  const auto product =
      verified(R"("a": {"type": "f16[1, 2]", "values": [300, 2]}, "b": {"type": "f16[2, 1]", "values": [-400, 1]})",
               R"({"label": "y", "op": "matmul", "inputs": ["a", "b"]})", "y");
  EXPECT_THAT(
      origins(product),
      ElementsAre(HasSubstr("node 'y' (overflow), 1 element; element 0 from matmul of 'a' with 300 at element 0, "
                            "'b' with -400 at element 0; the truth is -119998, beyond f16")));
}

TEST(NonFinite, OtherOpsNameTheOperandsThatHoldOne) {
  const auto result =
      verified(R"("a": {"type": "f32[1, 2]", "values": ["inf", 1]}, "b": {"type": "f32[2, 1]", "values": [0, 1]})",
               R"({"label": "y", "op": "matmul", "inputs": ["a", "b"]})", "y");
  EXPECT_THAT(origins(result),
              ElementsAre("first NaN: node 'y' (domain), 1 element; element 0 from matmul of 'a' with inf at "
                          "element 0"));
}

TEST(NonFinite, OfAWrongKernelIsSaidBesideTheTruth) {
  auto wrong = testing::spoiler("y", [](ir::Tensor& y) { y.as<float>()[1] = std::nanf(""); });
  const auto result = testing::verify_on(wrong, testing::make_case(R"({"format": "plumb.graph/1", "why": "two roots",
    "inputs": {"x": {"type": "f32[2]", "values": [1, 4]}},
    "nodes": [{"label": "y", "op": "unary", "inputs": ["x"], "function": "sqrt"}], "results": ["y"]})"));
  EXPECT_THAT(origins(result),
              ElementsAre("first NaN: node 'y' (fault), 1 element; element 1 from sqrt(4); the truth is 2"));
}

TEST(NonFinite, ASubnormalTruthIsSaidToo) {
  auto wrong = testing::spoiler("y", [](ir::Tensor& y) { y.as<double>()[0] = std::nan(""); });
  const auto result = testing::verify_on(wrong, testing::make_case(R"({"format": "plumb.graph/1", "why": "tiny",
    "inputs": {"x": {"type": "f64[1]", "values": [1e-310]}},
    "nodes": [{"label": "y", "op": "unary", "inputs": ["x"], "function": "negate"}], "results": ["y"]})"));
  EXPECT_THAT(
      origins(result),
      ElementsAre("first NaN: node 'y' (fault), 1 element; element 0 from negate(1e-310); the truth is -1e-310"));
}

TEST(NonFinite, NaNsOfAnInputAreNamedAndInfinitiesAreNot) {
  const auto result = verified(R"("x": {"type": "f32[2]", "values": ["nan", "-inf"]})",
                               R"({"label": "y", "op": "unary", "inputs": ["x"], "function": "abs"})", "y");
  EXPECT_THAT(origins(result), ElementsAre("first NaN: node 'y' (input), 1 element; element 0 from abs(nan)"));
  EXPECT_THAT(
      origins(verified(three, R"({"label": "z", "op": "binary", "inputs": ["x", "y"], "function": "add"})", "z")),
      IsEmpty());
}

}  // namespace
}  // namespace plumb::parity::attribution::non_finite_test
