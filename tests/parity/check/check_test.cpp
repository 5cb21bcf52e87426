// One op as a case: how it is named and repeated, what it is fed, and that faults of a candidate fail.
#include "parity/check/check.hpp"

#include <gmock/gmock.h>

#include "parity/check/draw.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/suspect.hpp"
#include "tests/support/noise.hpp"

namespace plumb::parity::check::check_test {
namespace {

using ir::DType;

std::string refusal(const std::string& op, const Words& words) {
  return tests::message_of([&] { op_of(op, words); });
}

Check softmax(ir::Shape shape) {
  return {.op = op_of("softmax", {{"axis", "-1"}}), .attributes = {{"axis", "-1"}}, .operands = {{DType::f32, shape}}};
}

cases::CaseResult judged(const Check& check, ir::Executor& candidate) {
  ref_cpu::CpuExecutor reference;
  cases::Observer silent;
  return run(check, {.reference = reference, .candidate = &candidate, .candidate_is_host = true}, {.plain = true},
             " --candidate mine", silent);
}

TEST(Check, NamesAndRepeatsItself) {
  Check check = softmax({33, 257});
  EXPECT_EQ(name_of(check), "softmax f32[33, 257] axis=-1");
  EXPECT_EQ(repro_of(check, " --candidate cpu"),
            "plumb check --op softmax --attr axis=-1 --in 'f32[33,257]' --seed 1 --candidate cpu");
  check.fill = core::FillKind::adversarial;
  check.adversarial = ir::AdversarialKind::wave;
  check.seed = 9;
  EXPECT_THAT(repro_of(check, ""), ::testing::HasSubstr(" --fill adversarial:wave --seed 9"));
}

TEST(Check, AttributesAreReadAsInGraphFiles) {
  EXPECT_EQ(op_of("softmax", {{"axis", "2"}}).attributes().at("axis"), ir::Attribute(std::int64_t{2}));
  EXPECT_EQ(op_of("unary", {{"function", "relu"}}).function(), "relu");
  EXPECT_EQ(op_of("unary", {{"function", "\"relu\""}}).function(), "relu");
  EXPECT_EQ(op_of("transpose", {{"permutation", "[1, 0]"}}).name(), "transpose");
  EXPECT_EQ(op_of("cast", {{"to", "f16"}}).attributes().at("to"), ir::Attribute(std::string("f16")));
  EXPECT_EQ(op_of("constant", {{"dtype", "f32"}, {"shape", "[2]"}, {"values", "[1, 2.5]"}}).name(), "constant");
}

TEST(Check, WrongWordsAreRefusedWithTheNearestName) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("sofmax", {}), HasSubstr("there is no op 'sofmax'; did you mean softmax?"));
  EXPECT_THAT(refusal("softmax", {{"axs", "1"}}), HasSubstr("no attribute 'axs'; did you mean axis?"));
  EXPECT_THAT(refusal("softmax", {{"axis", "last"}}), HasSubstr("--attr axis: is int, got 'last'"));
  EXPECT_THAT(refusal("softmax", {{"axis", "1.5"}}), HasSubstr("axis"));
  EXPECT_THAT(refusal("softmax", {{"axis", "1"}, {"axis", "2"}}), HasSubstr("--attr axis is given twice"));
  EXPECT_THAT(refusal("unary", {{"function", "rellu"}}), HasSubstr("did you mean relu?"));
  EXPECT_THAT(refusal("unary", {}), HasSubstr("unary needs --attr function=... (one of abs"));
  EXPECT_THAT(refusal("pad", {{"pads", std::string(100000, '[')}}), HasSubstr("--attr pads"));
}

TEST(Check, AnHonestCandidatePasses) {
  ref_cpu::CpuExecutor cpu;
  const cases::CaseResult result = judged(softmax({5, 33}), cpu);
  EXPECT_EQ(result.verdict, core::Verdict::passed) << result.message;
  EXPECT_EQ(result.exit, core::ExitCode::passed);
  EXPECT_EQ(result.subject.name, "softmax f32[5, 33] axis=-1");
}

TEST(Check, AMissingTailFailsAndSaysHowToRepeatIt) {
  plumb::testing::Suspect wrong;
  wrong.tamper = [](const ir::Node&, ir::Tensor& output) { output.as<float>().back() *= 1.01f; };
  const cases::CaseResult result = judged(softmax({33, 257}), wrong);
  EXPECT_EQ(result.verdict, core::Verdict::failed);
  EXPECT_EQ(result.exit, core::ExitCode::failed);
  ASSERT_EQ(result.nodes.size(), 1u);
  EXPECT_GT(result.nodes[0].local.ratio(), 1);
  EXPECT_EQ(result.nodes[0].repro,
            "plumb check --op softmax --attr axis=-1 --in 'f32[33,257]' --seed 1 --candidate mine");
}

TEST(Check, EmptyOperandsAreNoError) {
  ref_cpu::CpuExecutor cpu;
  EXPECT_NE(judged(softmax({0, 7}), cpu).exit, core::ExitCode::tool_error);
}

TEST(Check, IndicesAreInRangeAndVariancesPositive) {
  ref_cpu::CpuExecutor cpu;
  const Check gather{.op = op_of("gather", {}), .operands = {{DType::f32, {3, 5}}, {DType::i64, {40}}}};
  EXPECT_EQ(judged(gather, cpu).verdict, core::Verdict::passed);
  Check norm{.op = op_of("batch_norm", {}), .operands = {{DType::f32, {4, 8}}}};
  for (int k = 0; k < 4; ++k) norm.operands.push_back({DType::f32, {8}});
  const cases::CaseResult result = judged(norm, cpu);
  EXPECT_EQ(result.verdict, core::Verdict::passed) << result.message;
  ASSERT_EQ(result.nodes.size(), 1u);
  EXPECT_EQ(result.nodes[0].local.n_nan_expected, 0u);
}

TEST(Check, ExactNumbersAreJudgedBitwise) {
  plumb::testing::Suspect wrong;
  Check product{.op = op_of("matmul", {}), .operands = {{DType::f32, {9, 17}}, {DType::f32, {17, 5}}}};
  product.fill = core::FillKind::exact;
  EXPECT_EQ(judged(product, wrong).verdict, core::Verdict::passed);
  wrong.tamper = [](const ir::Node&, ir::Tensor& output) { output.as<float>()[3] += 1; };
  EXPECT_EQ(judged(product, wrong).verdict, core::Verdict::failed);
}

TEST(Check, TypesThatTheOpRefusesAreAnErrorOfTheCase) {
  ref_cpu::CpuExecutor cpu;
  const Check product{.op = op_of("matmul", {}), .operands = {{DType::f32, {2, 3}}, {DType::f32, {4, 5}}}};
  const cases::CaseResult result = judged(product, cpu);
  EXPECT_EQ(result.exit, core::ExitCode::tool_error);
  EXPECT_THAT(result.message, ::testing::HasSubstr("inner extents must be equal"));
}

}  // namespace
}  // namespace plumb::parity::check::check_test
