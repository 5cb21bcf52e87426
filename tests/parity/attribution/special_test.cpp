#include "parity/attribution/special.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::attribution::special_test {
namespace {

using cases::Special;
using ::testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr Kinds none, nans{.nan = true}, infinities{.infinity = true};

Special of(double truth, double got, const OperandKinds& operands = {}, bool is_excused = false,
           ir::DType dtype = ir::DType::f16) {
  return special_of(truth, got, core::float_format(dtype), operands, is_excused);
}

TEST(SpecialOf, NumbersThatMeetNumbersIsNone) {
  EXPECT_EQ(of(1, 2), Special::none);
  EXPECT_EQ(of(65519, 65504), Special::none);
  EXPECT_EQ(of(65519, 65504, {nans, infinities}), Special::none) << "what operands have may be masked";
}

TEST(SpecialOf, ATruthThatOperandsDoNotExplainIsOfTheDomain) {
  EXPECT_EQ(of(nan, nan), Special::domain);
  EXPECT_EQ(of(-infinity, -infinity), Special::domain);
  EXPECT_EQ(of(nan, 0), Special::domain) << "a kernel that hides it";
  EXPECT_EQ(of(nan, nan, {infinities, infinities}), Special::domain) << "inf - inf";
  EXPECT_EQ(of(infinity, infinity, {nans, nans}), Special::domain);
}

TEST(SpecialOf, ATruthThatOperandsExplainIsInheritedOrOfTheCase) {
  EXPECT_EQ(of(nan, nan, {nans, none}), Special::inherited);
  EXPECT_EQ(of(nan, 0, {nans, none}), Special::inherited);
  EXPECT_EQ(of(infinity, infinity, {infinities, infinities}), Special::inherited);
  EXPECT_EQ(of(nan, nan, {none, nans}), Special::input);
  EXPECT_EQ(of(-infinity, -infinity, {nans, infinities}), Special::input);
}

TEST(SpecialOf, AFiniteTruthBeyondTheDtypeOverflows) {
  EXPECT_EQ(of(65520, infinity), Special::overflow);
  EXPECT_EQ(of(-70000, -65504), Special::overflow);
  EXPECT_EQ(of(70000, 70000, {}, false, ir::DType::f32), Special::none);
  EXPECT_EQ(of(1e39, infinity, {}, false, ir::DType::f32), Special::overflow);
  EXPECT_EQ(of(1e308, infinity, {}, false, ir::DType::f64), Special::fault);
}

TEST(SpecialOf, NumbersThatTheTruthDoesNotHaveAreAFault) {
  EXPECT_EQ(of(1, nan), Special::fault);
  EXPECT_EQ(of(1, -infinity), Special::fault);
  EXPECT_EQ(of(1, nan, {nans, nans}), Special::fault) << "the truth knows what operands have";
  EXPECT_EQ(of(infinity, nan, {infinities, none}), Special::fault);
  EXPECT_EQ(of(70000, nan), Special::fault);
}

TEST(SpecialOf, ExcusedNumbersAreOfOperandsOrOfIntermediateResults) {
  EXPECT_EQ(of(1, infinity, {}, true), Special::overflow);
  EXPECT_EQ(of(1, nan, {infinities, none}, true), Special::inherited);
  EXPECT_EQ(of(1, nan, {none, nans}, true), Special::input);
}

/// "CLASS@ELEMENT" of each output of a case.
std::vector<std::string> classes(const cases::CaseResult& result) {
  std::vector<std::string> all;
  for (const cases::NodeResult& node : result.nodes)
    all.push_back(ir::cat(ir::enum_name(node.special.of), '@', node.special.at));
  return all;
}

constexpr auto chain = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[4]", "values": [1, 0, 4, -2]}, "m": {"type": "f32[4]", "values": [0, 0, "-inf", 1]}},
  "nodes": [{"label": "masked", "op": "binary", "inputs": ["x", "m"], "function": "add"},
            {"label": "root", "op": "unary", "inputs": ["x"], "function": "sqrt"},
            {"label": "sum", "op": "binary", "inputs": ["root", "masked"], "function": "add"},
            {"label": "whole", "op": "cast", "inputs": ["x"], "to": "i32"},
            {"label": "half", "op": "cast", "inputs": ["x"], "to": "f16"}],
  "results": ["sum", "whole", "half"]})";

TEST(Special, IsThatOfEachOutput) {
  testing::Suspect honest;
  EXPECT_THAT(classes(testing::verify_on(honest, testing::make_case(chain))),
              ElementsAre("input@2", "domain@3", "inherited@2", "none@0", "none@0"));
}

TEST(Special, TheGravestOfAnOutputIsItsClass) {
  auto wrong = testing::spoiler("root", [](ir::Tensor& y) { y.as<float>()[2] = INFINITY; });
  EXPECT_THAT(classes(testing::verify_on(wrong, testing::make_case(chain))).at(1), "fault@2");
}

TEST(Special, OfAnOpThatIsJudgedByTheLineIsFoundToo) {
  constexpr auto solved = R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "c64[8]"}}, "nodes": [{"label": "y", "op": "fft", "inputs": ["x"]}], "results": ["y"]})";
  auto wrong = testing::spoiler("y", [](ir::Tensor& y) { y.as<std::complex<float>>()[5] = {0, INFINITY}; });
  EXPECT_THAT(classes(testing::verify_on(wrong, testing::make_case(solved))), ElementsAre("fault@5"));
}

TEST(Validate, StopsAtTheFirstThatIsNotOfTheCase) {
  testing::Suspect honest;
  const auto result = testing::verify_on(honest, testing::make_case(chain), {.settings = {.validate = true}});
  EXPECT_EQ(result.verdict, core::Verdict::failed);
  EXPECT_EQ(result.exit, core::ExitCode::failed);
  EXPECT_THAT(testing::labels_with(result, core::Verdict::failed), ElementsAre("root"));
  EXPECT_THAT(testing::labels_with(result, core::Verdict::skipped), ElementsAre("sum", "whole", "half"));
  EXPECT_EQ(testing::node(result, "root").why, "not finite (domain) at element 3");
  EXPECT_EQ(testing::node(result, "sum").why, "--validate stopped at 'root'");
}

TEST(Validate, ChangesNothingOfFiniteNumbers) {
  testing::Suspect honest;
  const auto subject = testing::make_case(testing::small_graph);
  const auto result = testing::verify_on(honest, subject, {.settings = {.validate = true}});
  EXPECT_EQ(result.verdict, core::Verdict::passed);
  EXPECT_THAT(testing::labels_with(result, core::Verdict::passed), ::testing::SizeIs(5));
}

}  // namespace
}  // namespace plumb::parity::attribution::special_test
