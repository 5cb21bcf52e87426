#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/verify/stated_value.hpp"
#include "parity/verify/verify.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::stated_test {
namespace {

using ::testing::HasSubstr;
using testing::make_case;
using testing::node;
using testing::Suspect;
using testing::verify_on;

/// The verdict on x minus `less` where `value` is stated of it.
core::Verdict difference(const std::string& dtype, const std::string& x, const std::string& less,
                         const std::string& value) {
  Suspect honest;
  const auto subject = make_case(R"({"format": "plumb.graph/1", "inputs": {
      "x": {"type": ")" + dtype + R"([1]", "values": [)" +
                                 x + R"(]},
      "z": {"type": ")" + dtype + R"([1]", "values": [)" +
                                 less + R"(]}},
    "nodes": [{"label": "y", "op": "binary", "function": "subtract", "inputs": ["x", "z"]}],
    "results": {"y": {"values": [)" +
                                 value + "]}}}");
  return verify_on(honest, subject).verdict;
}

constexpr auto passed = core::Verdict::passed, failed = core::Verdict::failed;

TEST(Stated, AValueStandsWithinHalfOfItsLastDigit) {
  EXPECT_NE(difference("f32", "1.28", "0", "1.3"), failed);
  EXPECT_EQ(difference("f32", "1.28", "0", "1.24"), failed);
  EXPECT_EQ(difference("f32", "1.28", "0", "1.30"), failed);
  EXPECT_NE(difference("f32", "1280", "0", "1.3e3"), failed);
  EXPECT_EQ(difference("f32", "1280", "0", "1.30e3"), failed);
}

TEST(Stated, AWholeNumberIsThatNumber) {
  EXPECT_NE(difference("f32", "3", "1", "2"), failed);
  EXPECT_EQ(difference("f32", "3.25", "1", "2"), failed);
}

TEST(Stated, ALastPlaceOfTheTypeIsAsCoarseAsADigit) {
  EXPECT_NE(difference("bf16", "2", "0", "2.0078"), failed);
  EXPECT_EQ(difference("bf16", "2", "0", "2.0080"), failed);
}

TEST(Stated, WhatIsReadAndWhatIsWrittenAreBothRight) {
  // The f32 nearest to the first is 16777216.
  EXPECT_NE(difference("f32", "16777216.3", "16777216", "0.3"), failed);
  EXPECT_NE(difference("f32", "16777216.3", "16777216", "0.0"), failed);
  EXPECT_EQ(difference("f32", "16777216.3", "16777216", "0.4"), failed);
  EXPECT_EQ(difference("f32", "16777216.3", "16777216", "-0.1"), failed);
}

TEST(Stated, NoLimitOfAKernelExcusesIt) {
  Suspect honest;
  const auto result = verify_on(honest, make_case(R"({"format": "plumb.graph/1", "inputs": {
      "a": {"type": "f32[1, 16384]", "fill": {"distribution": "constant", "value": 1}},
      "b": {"type": "f32[16384, 1]", "fill": {"distribution": "constant", "value": 1}}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["a", "b"]}],
    "results": {"y": {"values": [16383]}}})"));
  EXPECT_EQ(result.verdict, failed);
  EXPECT_THAT(node(result, "y").why, HasSubstr("stated 16383, it is 16384"));
}

TEST(Stated, TheTruthItselfMayBeOffInF64) {
  Suspect honest;
  const auto with = [](const std::string& sum) {
    return make_case(R"({"format": "plumb.graph/1",
      "inputs": {"x": {"type": "f64[10]", "fill": {"distribution": "constant", "value": 0.1}}},
      "nodes": [{"label": "y", "op": "reduce", "function": "sum", "axes": [0], "inputs": ["x"]}],
      "results": {"y": {"values": [)" +
                     sum + "]}}}");
  };
  EXPECT_EQ(verify_on(honest, with("1")).verdict, passed);
  EXPECT_EQ(verify_on(honest, with("1.00000000000001")).verdict, failed);
}

/// Whether numbers of f32 that are written in all their digits stand.
bool stands(double stated, double truth) {
  const ir::Tensor one = ir::Tensor::of<double>({1}, {stated}), is = ir::Tensor::of<double>({1}, {truth});
  return verify::why_it_does_not_stand({.stated = one, .dtype = ir::DType::f32, .as_read = is}).empty();
}

TEST(Stated, WhatIsNoNumberMeetsItsLike) {
  EXPECT_TRUE(stands(NAN, NAN));
  EXPECT_FALSE(stands(NAN, 0));
  EXPECT_FALSE(stands(0, NAN));
  EXPECT_TRUE(stands(INFINITY, INFINITY));
  EXPECT_TRUE(stands(INFINITY, 1e39));  // beyond the range of f32
  EXPECT_FALSE(stands(INFINITY, 1e38));
  EXPECT_FALSE(stands(-INFINITY, INFINITY));
}

TEST(Stated, IntegersAreExact) {
  const ir::Tensor stated = ir::Tensor::of<std::int64_t>({2}, {1, (std::int64_t{1} << 53) + 1}),
                   truth = ir::Tensor::of<std::int64_t>({2}, {1, std::int64_t{1} << 53});
  EXPECT_EQ(
      verify::why_it_does_not_stand({.stated = stated, .dtype = ir::DType::i64, .as_read = truth}),
      "1 of 2 elements are stated wrong; the first is element 1: stated 9007199254740993, it is 9007199254740992");
  EXPECT_EQ(verify::why_it_does_not_stand({.stated = stated, .dtype = ir::DType::i64, .as_read = stated}), "");
}

}  // namespace
}  // namespace plumb::parity::stated_test
