#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/verify/verify.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::must_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::make_case;
using testing::node;
using testing::Suspect;
using testing::verify_on;

/// A sum of 1 and 2, of which `value` is stated.
cases::CaseResult sum_stated(const std::string& value, const std::string& must) {
  Suspect honest;
  return verify_on(honest, make_case(R"({"format": "plumb.graph/1", "inputs": {
      "x": {"type": "f32[1]", "values": [1]}, "z": {"type": "f32[1]", "values": [2]}},
    "nodes": [{"label": "y", "op": "binary", "function": "add", "inputs": ["x", "z"]}],
    "results": {"y": {"values": [)" + value +
                                     "]}}, " + must + "}"));
}

TEST(Must, AFailureThatTheFileWantsIsNone) {
  const auto result = sum_stated("4", R"("must": "fail", "expect_error": "stated 4, it is 3")");
  EXPECT_EQ(result.verdict, core::Verdict::failed);
  EXPECT_EQ(result.exit, core::ExitCode::passed);
  EXPECT_THAT(result.notes, Contains("failed, as the file says that it must"));
}

TEST(Must, WhatDoesNotFailAsItMustFails) {
  for (const char* value : {"3", "4"}) {
    const auto result = sum_stated(value, R"("must": "fail", "expect_error": "something else")");
    EXPECT_EQ(result.exit, core::ExitCode::failed);
    EXPECT_THAT(result.notes, Contains(HasSubstr("the file says that it must fail")));
  }
}

TEST(Must, WhatIsNotRefusedAsItMustFails) {
  const auto result = sum_stated("3", R"("must": "refuse", "expect_error": "an index")");
  EXPECT_EQ(result.verdict, core::Verdict::passed);
  EXPECT_EQ(result.exit, core::ExitCode::failed);
}

constexpr auto bitcast_graph = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[8, 8]"}, "w": {"type": "f32[8, 8]"}},
  "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "bits", "op": "bitcast", "inputs": ["y"], "to": "i32"},
            {"label": "again", "op": "bitcast", "inputs": ["bits"], "to": "f32"},
            {"label": "z", "op": "matmul", "inputs": ["again", "w"]}],
  "results": ["bits", "z"]})";

TEST(NoTruth, NodesBehindAreJudgedOnWhatTheCandidateGave) {
  Suspect honest;
  const auto result = verify_on(honest, make_case(bitcast_graph));
  EXPECT_EQ(result.verdict, core::Verdict::passed) << result.message;
  EXPECT_EQ(node(result, "bits").verdict, core::Verdict::skipped);
  EXPECT_THAT(node(result, "bits").why, HasSubstr("no truth: f32 has no wider truth with the same bits"));
  EXPECT_EQ(node(result, "z").verdict, core::Verdict::passed);
  EXPECT_EQ(node(result, "z").local.n, 64u);
  EXPECT_EQ(node(result, "z").total.n, 0u);
  auto suspect = testing::spoiler("z", [](ir::Tensor& z) { z.as<float>()[13] += 1e-3f; });
  EXPECT_EQ(node(verify_on(suspect, make_case(bitcast_graph)), "z").verdict, core::Verdict::failed);
}

TEST(NoTruth, CountsUnderStrict) {
  Suspect honest;
  const std::vector results = {verify_on(honest, make_case(bitcast_graph)), sum_stated("3", R"("why": "adds")")};
  EXPECT_EQ(core::exit_code(verify::ends_of(results), {}), core::ExitCode::passed);
  EXPECT_EQ(core::exit_code(verify::ends_of(results), {.strict = true}), core::ExitCode::mistrusted);
}

}  // namespace
}  // namespace plumb::parity::must_test
