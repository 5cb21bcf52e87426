#include "library/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "library/log.hpp"
#include "library/open_candidate.hpp"
#include "parity/core/candidate_error.hpp"
#include "parity/foreign/callback.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::library::verify_test {
namespace {

using ir::Tensor;
using parity::core::Verdict;
using parity::foreign::AnsweredValues;
using parity::foreign::AskedValue;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto text = R"({"format": "plumb.graph/1", "why": "two steps",
  "inputs": {"x": {"type": "f32[2, 3]", "values": [1, -2, 3, -4, 5, -6]}},
  "nodes": [{"label": "h", "op": "unary", "function": "abs", "inputs": ["x"]},
            {"label": "y", "op": "unary", "function": "negate", "inputs": ["h"]}],
  "results": ["y"]})";

Model model() {
  return {"two.json", std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(text, "."))};
}

const Tensor h = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor y = Tensor::of<float>({2, 3}, {-1, -2, -3, -4, -5, -6});

parity::cases::CaseResult judged(parity::foreign::Callback callback, const VerifyOptions& options = {}) {
  const auto candidate = parity::foreign::candidate_of(std::move(callback), {.name = "mine"});
  return verify(model(), *candidate, options);
}

TEST(Library, AFunctionIsAskedForWhatIsWantedAndJudgedNodeByNode) {
  std::vector<std::vector<std::string>> asked;
  const auto result = judged([&](ir::Feeds& inputs, const std::vector<AskedValue>& values) {
    if (asked.empty()) {
      EXPECT_EQ(inputs.at("x").as<float>()[1], -2);
    }
    asked.emplace_back();
    for (const AskedValue& one : values) asked.back().push_back(one.name + (one.is_required ? "!" : ""));
    return AnsweredValues{{"h", h}, {"y", y}};
  });
  EXPECT_EQ(result.verdict, Verdict::passed) << result.message;
  ASSERT_EQ(result.nodes.size(), 2u);
  for (const auto& node : result.nodes) {
    EXPECT_EQ(node.paired, parity::cases::Pairing::exact);
    EXPECT_EQ(node.repro, "");
  }
  ASSERT_GE(asked.size(), 2u);
  EXPECT_THAT(asked.front(), ElementsAre("y!", "h"));
  EXPECT_THAT(asked.back(), ElementsAre("y!")) << "the plain run is for results alone";
}

TEST(Library, AWrongNodeIsNamedAndMissingValuesJoinAGroup) {
  Tensor off = h;
  off.as<float>()[4] = 5.001f;
  Tensor follows = y;
  follows.as<float>()[4] = -5.001f;
  const auto named = judged([&](ir::Feeds&, const auto&) { return AnsweredValues{{"h", off}, {"y", follows}}; });
  EXPECT_EQ(named.verdict, Verdict::failed);
  EXPECT_EQ(named.nodes[0].verdict, Verdict::failed);
  EXPECT_EQ(named.nodes[1].verdict, Verdict::passed);
  const auto grouped = judged([&](ir::Feeds&, const auto&) { return AnsweredValues{{"y", follows}}; });
  EXPECT_EQ(grouped.verdict, Verdict::failed);
  EXPECT_EQ(grouped.nodes[1].group, 2u);
}

TEST(Library, WhatAFunctionMustNotDoIsItsVerdict) {
  const auto failed = [](parity::foreign::Callback callback) {
    const auto result = judged(std::move(callback));
    EXPECT_EQ(result.verdict, Verdict::failed);
    EXPECT_EQ(result.exit, parity::core::ExitCode::failed);
    return result.message;
  };
  EXPECT_EQ(failed([](ir::Feeds&, const auto&) { return AnsweredValues{}; }), "candidate 'mine' gave nothing for 'y'");
  EXPECT_EQ(failed([](ir::Feeds&, const auto&) {
              return AnsweredValues{{"y", Tensor(ir::TensorType{ir::DType::f32, {3, 2}})}};
            }),
            "candidate 'mine' gave 'y' as f32[3, 2], the graph says f32[2, 3]");
  EXPECT_EQ(failed([](ir::Feeds& inputs, const auto&) {
              inputs.at("x").as<float>()[0] = 7;
              return AnsweredValues{{"y", y}};
            }),
            "candidate 'mine' changed its input 'x'");
  EXPECT_EQ(failed([](ir::Feeds& inputs, const auto&) {
              inputs.clear();
              inputs.emplace("z", h);
              return AnsweredValues{{"y", y}};
            }),
            "candidate 'mine' changed its input 'x'");
  EXPECT_EQ(failed([](ir::Feeds&, const auto&) -> AnsweredValues { throw parity::core::CandidateError("wrote"); }),
            "wrote");
  const auto refused = judged([](ir::Feeds&, const auto&) -> AnsweredValues { throw ir::Unsupported("not these"); });
  EXPECT_EQ(refused.verdict, Verdict::unsupported);
  EXPECT_EQ(refused.message, "not these");
  const auto lost = judged([](ir::Feeds&, const auto&) -> AnsweredValues { throw ir::DeviceError("gone"); });
  EXPECT_EQ(lost.exit, parity::core::ExitCode::device_error);
  EXPECT_THROW(judged([](ir::Feeds&, const auto&) -> AnsweredValues { throw 7; }), int) << "not ours to take";
}

TEST(Library, NamesOfNoValueAreNotedAndNodesAloneAreUnsupported) {
  const auto noted = judged([](ir::Feeds&, const auto&) { return AnsweredValues{{"y", y}, {"hh", h}}; });
  EXPECT_THAT(noted.notes, testing::Contains(HasSubstr("'hh' is no value of the graph")));
  VerifyOptions isolate;
  isolate.verify.mode = parity::core::Mode::isolate;
  const auto alone = judged([](ir::Feeds&, const auto&) { return AnsweredValues{{"y", y}}; }, isolate);
  EXPECT_EQ(alone.exit, parity::core::ExitCode::nothing_ran);
}

TEST(Library, GivenResultsOfAnOpAreJudged) {
  const ir::Op softmax = ir::ops::Softmax{};
  const Tensor x = Tensor::of<float>({1, 3}, {1, 2, 3});
  const Tensor right = Tensor::of<float>({1, 3}, {0.09003057f, 0.24472847f, 0.66524096f});
  const Tensor wrong = Tensor::of<float>({1, 3}, {0.09003057f, 0.24482847f, 0.66524096f});
  EXPECT_EQ(check(softmax, {x}, {right}).verdict, Verdict::passed);
  const auto failed = check(softmax, {x}, {wrong});
  EXPECT_EQ(failed.verdict, Verdict::failed);
  EXPECT_EQ(failed.nodes.at(0).local.worst.at(0).index, 1u);
  EXPECT_EQ(outcome_of(failed).exit, parity::core::ExitCode::failed);
  EXPECT_EQ(check(softmax, {x}, {ir::convert(right, ir::DType::f64)}).verdict, Verdict::passed)
      << "every f32 number is one of f64";
  EXPECT_EQ(check(softmax, {x}, {}).message, "softmax has 1 output, got 0");
  EXPECT_EQ(check(softmax, {x}, {right, right}).message, "softmax has 1 output, got 2");
  EXPECT_EQ(check(softmax, {x}, {ir::convert(right, ir::DType::f16)}).verdict, Verdict::failed);
  EXPECT_THROW(check(softmax, {x, x}, {right}), ir::Error);
}

TEST(Library, AnAccountOfHowAnOpWasSummedIsBelievedWhereReplaysAgree) {
  Tensor a({ir::DType::f32, {8, 96}}), b({ir::DType::f32, {96, 8}});
  for (std::size_t i = 0; i < 768; ++i) {
    a.as<float>()[i] = std::sin(static_cast<float>(i));
    b.as<float>()[i] = std::cos(static_cast<float>(3 * i));
  }
  ref_cpu::CpuExecutor cpu;
  const ir::Op matmul = ir::ops::Matmul{};
  const ir::OpRun run = ir::run_op_with_report(cpu, matmul, {a, b});
  ASSERT_FALSE(run.report.sums.empty());
  const auto told = check(matmul, {a, b}, run.outputs, {.sums = run.report.sums});
  EXPECT_EQ(told.verdict, Verdict::passed) << told.message;
  EXPECT_FALSE(told.nodes.at(0).sums.empty());
  EXPECT_TRUE(check(matmul, {a, b}, run.outputs).nodes.at(0).sums.empty());
}

TEST(Library, ALogIsToldUntilAnotherIsSet) {
  std::vector<std::string> told;
  set_log([&](const std::string& text) {
    told.push_back(text);
    set_log({});
  });
  tell("one");
  tell("two");
  EXPECT_EQ(told, std::vector<std::string>{"one"});
}

TEST(Library, ModelsTakeShapesByText) {
  const auto options = onnx_options({"x=1,3", "batch=8", "*=2"}, "a shape");
  EXPECT_THAT(options.shapes.at("x"), ElementsAre(1, 3));
  EXPECT_EQ(options.rest, 2);
  for (const char* wrong : {"x", "=1", "x=1,b", "x=-1", "*=1,2"})
    EXPECT_THROW(onnx_options({wrong}, "a shape"), ir::Error) << wrong;
  EXPECT_THROW(onnx_options({"x=1", "x=2"}, "a shape"), ir::Error);
  EXPECT_THROW(read_model("nowhere.json"), ir::Error);
  EXPECT_THROW(open_candidate("nobody:x"), ir::Error);
}

}  // namespace
}  // namespace plumb::library::verify_test
