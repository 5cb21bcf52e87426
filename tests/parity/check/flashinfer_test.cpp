// Definitions and workloads as graphs: which arguments functions get, which constants are found, what traces say.
#include <gmock/gmock.h>

#include "parity/check/flashinfer/problem.hpp"
#include "parity/check/flashinfer/sequences.hpp"
#include "parity/check/flashinfer/trace.hpp"

namespace plumb::parity::check::flashinfer::flashinfer_test {
namespace {

using ::testing::ElementsAre;

Definition embedding() {
  return parse_definition(R"({"name": "rows", "op_type": "embedding", "reference": "def run(): pass",
    "axes": {"T": {"type": "var"}, "V": {"type": "const", "value": 5}, "D": {"type": "const", "value": 2}},
    "inputs": {"input_ids": {"shape": ["T"], "dtype": "int64"}, "weight": {"shape": ["V", "D"], "dtype": "float32"}},
    "outputs": {"output": {"shape": ["T", "D"], "dtype": "float32"}}})",
                          "rows.json");
}

TEST(Flashinfer, FunctionsGetArgumentsInTheOrderOfTheDefinition) {
  const Definition definition = embedding();
  const std::vector<Workload> workloads = drawn_workloads(definition);
  ASSERT_EQ(workloads.size(), 3u);
  const Problem problem = problem_of({.definition = definition, .workload = workloads[1]}, {});
  // The op reads the table first; the indices are a param, which other inputs leave as it is.
  EXPECT_EQ(problem.arguments, "x1,x0,y0");
  EXPECT_EQ(problem.returning_arguments, "x1,x0");
  EXPECT_THAT(problem.file.graph.inputs(), ElementsAre("weight"));
  EXPECT_THAT(problem.file.graph.params(), ElementsAre("input_ids"));
}

TEST(Flashinfer, ConstantsAreLinesOfTheirOwn) {
  const std::string text = "EPS = 1e-6  # small\n  eps=2\nEPSILON = 3\nx = EPS = 4\nEPS = y\nEPS == 5\n";
  EXPECT_THAT(assigned_numbers(text, "EPS"), ElementsAre(1e-6));
  EXPECT_THAT(assigned_numbers(text, "eps"), ElementsAre(2));
  EXPECT_TRUE(assigned_numbers("", "EPS").empty());
}

TEST(Flashinfer, PartsAddUp) {
  Random random(3);
  const std::vector<std::int64_t> parts = drawn_parts(40, {1, 0, 7}, random, "kv_indptr");
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0] + parts[1] + parts[2], 40);
  EXPECT_GE(parts[0], 1);
  EXPECT_GE(parts[2], 7);
  EXPECT_THROW(drawn_parts(7, {1, 0, 7}, random, "kv_indptr"), ir::Error);
  EXPECT_THROW(drawn_parts(7, {}, random, "kv_indptr"), ir::Error);
}

TEST(Flashinfer, AStatusSaysWhatTheVerdictSays) {
  cases::CaseResult result;
  const auto status = [&](core::Verdict verdict, core::ExitCode exit, foreign::Fault fault = foreign::Fault::none) {
    result.verdict = verdict;
    result.exit = exit;
    return status_of(result, fault);
  };
  using core::ExitCode;
  using core::Verdict;
  EXPECT_EQ(status(Verdict::passed, ExitCode::passed), Status::passed);
  EXPECT_EQ(status(Verdict::failed, ExitCode::failed), Status::incorrect_numerical);
  EXPECT_EQ(status(Verdict::failed, ExitCode::failed, foreign::Fault::wrong_shape), Status::incorrect_shape);
  EXPECT_EQ(status(Verdict::failed, ExitCode::failed, foreign::Fault::wrong_dtype), Status::incorrect_dtype);
  EXPECT_EQ(status(Verdict::nondeterministic, ExitCode::failed), Status::incorrect_numerical);
  EXPECT_EQ(status(Verdict::error, ExitCode::device_error, foreign::Fault::crashed), Status::runtime_error);
  EXPECT_EQ(status(Verdict::error, ExitCode::device_error, foreign::Fault::late), Status::timeout);
  for (const Verdict verdict : {Verdict::mistrusted, Verdict::unsupported, Verdict::skipped, Verdict::error})
    EXPECT_EQ(status(verdict, ExitCode::tool_error), std::nullopt);
}

}  // namespace
}  // namespace plumb::parity::check::flashinfer::flashinfer_test
