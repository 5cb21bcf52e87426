#include "library/register_op.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/formats/graph_file.hpp"
#include "ir/op_list.hpp"
#include "ir/passes/inline_bodies.hpp"
#include "library/reference.hpp"
#include "library/verify.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/foreign/callback.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/odd_floats.hpp"

namespace plumb::library::register_op_test {
namespace {

using ir::NewOp;
using ir::Tensor;
using parity::core::Verdict;
using parity::foreign::AnsweredValues;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto schema = R"~({"summary": "x sigmoid(beta x)", "formula": "y = x sigmoid(beta x)",
  "inputs": [{"name": "x", "dtypes": ["f32", "f16"]}], "outputs": [{"name": "y", "type": "as x"}],
  "attributes": [{"name": "beta", "kind": "real", "default": 1.702}]})~";

constexpr auto body = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 3]"}}, "nodes": [
  {"label": "beta", "op": "constant", "dtype": "$x.dtype", "shape": [], "values": ["$beta"]},
  {"label": "scaled", "op": "binary", "function": "multiply", "inputs": ["x", "beta"]},
  {"label": "gate", "op": "unary", "function": "sigmoid", "inputs": ["scaled"]},
  {"label": "y", "op": "binary", "function": "multiply", "inputs": ["x", "gate"]}], "results": ["y"]})";

/// One node of the op `name` on x, an f32[2, 4]; `more` are its attributes.
Model graph_of(const std::string& name, const std::string& more = "") {
  const std::string text = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 4]", "values": [1, -2, 3,
    -4, 0.5, -0.25, 7, -0.125]}}, "nodes": [{"label": "y", "op": ")" +
                           name + R"(", "inputs": ["x"])" + more + R"(}], "results": ["y"]})";
  return {"one.json", std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(text, "."))};
}

/// The message of what registering throws; "" where it does not.
std::string refusal_of(NewOp op) {
  return tests::message_of([&] { register_tried_op(op); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// As f32 computes it.
float swish(float x, float beta) { return x * (1 / (1 + std::exp(-beta * x))); }

parity::cases::CaseResult judged(const Model& model, float fault, float beta = 1.702f) {
  const auto mine = [&](ir::Feeds& inputs, const std::vector<parity::foreign::AskedValue>&) {
    Tensor y(inputs.at("x").type());
    const auto x = std::as_const(inputs.at("x")).as<float>();
    for (std::size_t i = 0; i < x.size(); ++i) y.as<float>()[i] = swish(x[i], beta);
    y.as<float>()[3] += fault;
    return AnsweredValues{{"y", y}};
  };
  return verify(model, *parity::foreign::candidate_of(mine, {.name = "mine"}));
}

const ir::DeclaredOp& by_body() {
  static const auto made = [] {
    register_tried_op({"test.by_body", schema, body});
    return ir::registered(*ir::find_schema("test.by_body"));
  }();
  return *made;
}

TEST(RegisterOp, ABodyIsEnoughForAVerdictThatNoticesAFault) {
  by_body();
  const auto right = judged(graph_of("test.by_body"), 0), wrong = judged(graph_of("test.by_body"), 1e-6f);
  EXPECT_EQ(right.verdict, Verdict::passed) << right.message;
  ASSERT_EQ(right.nodes.size(), 1u);
  EXPECT_EQ(right.nodes[0].op, "test.by_body");
  EXPECT_EQ(right.nodes[0].group, 4u) << "it is judged as the nodes of its body";
  EXPECT_EQ(wrong.verdict, Verdict::failed);
  EXPECT_TRUE(wrong.nodes[0].is_guilty);
}

TEST(RegisterOp, AttributesOfANodeGoIntoItsBody) {
  by_body();
  const Model model = graph_of("test.by_body", R"(, "beta": 2)");
  EXPECT_EQ(judged(model, 0, 2).verdict, Verdict::passed);
  EXPECT_EQ(judged(model, 0, 1.999f).verdict, Verdict::failed);
}

TEST(RegisterOp, OurExecutorRunsABodyOnOtherShapesAndDtypesThanItIsWrittenFor) {
  by_body();
  const Model model = graph_of("test.by_body");
  ref_cpu::CpuExecutor cpu;
  EXPECT_EQ(verify(model, cpu).verdict, Verdict::passed);
  EXPECT_EQ(verify(model, cpu, {.fill = {.dtype = ir::DType::f16}}).verdict, Verdict::passed);
}

/// The truth and all limits of y on the same numbers.
parity::bounds::Bounded bounded(const ir::Graph& graph) {
  const auto is_source = [&](ir::Value v) { return graph.is_source(v); };
  const auto segment = parity::core::segment_of(graph, *graph.producer(graph.results()[0]), is_source);
  const Tensor x = Tensor::of<double>({2, 4}, {1, -2, 3, -4, 0.5, -0.25, 7, -0.125});
  ref_cpu::CpuExecutor reference = reference_executor();
  return parity::bounds::evaluate_bounded(reference, segment, {{segment.graph.inputs()[0], x}}, {});
}

// K2.
TEST(RegisterOp, ABodyHasTheLimitsOfTheWrittenOutGraphInEveryBit) {
  by_body();
  const std::string written =
      replaced(replaced(replaced(body, "[2, 3]", "[2, 4]"), "\"$x.dtype\"", "\"f32\""), "\"$beta\"", "1.702");
  const auto op = bounded(graph_of("test.by_body").file->graph),
             graph = bounded(ir::formats::parse_graph(written, ".").graph);
  const auto same = [](const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); };
  EXPECT_TRUE(same(op.truth.outputs[0], graph.truth.outputs[0]));
  const auto &a = op.allowed[0], &b = graph.allowed[0];
  ASSERT_TRUE(a.limits && b.limits);
  EXPECT_TRUE(same(a.limits->probable, b.limits->probable));
  EXPECT_TRUE(same(a.limits->certain, b.limits->certain));
  EXPECT_EQ(std::tuple(a.rule, a.absolute, a.storage, a.subnormal, a.lambda),
            std::tuple(b.rule, b.absolute, b.storage, b.subnormal, b.lambda));
  EXPECT_GT(std::as_const(a.limits->probable).as<double>()[0], 0);
}

TEST(RegisterOp, AnInlinedBodyKeepsTheNumbersAndNamesOfResults) {
  by_body();
  const ir::Graph graph = graph_of("test.by_body").file->graph, whole = ir::passes::inline_bodies(graph);
  EXPECT_EQ(whole.nodes().size(), 4u);
  EXPECT_EQ(whole.results(), graph.results());
  EXPECT_EQ(whole.name(whole.results()[0]), "y");
  EXPECT_TRUE(whole.find("y/gate"));
  EXPECT_TRUE(ir::verify(whole).empty());
}

TEST(RegisterOp, ResultsOfABodyMayBeOperandsPartsOfWhatANodeGivesAndThereTwice) {
  register_tried_op({"test.parts", R"({"inputs": [{"name": "x"}], "outputs": [{"name": "a"}, {"name": "b"},
    {"name": "c"}, {"name": "d", "type": "as x"}]})",
                     R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 4]"}}, "nodes": [
    {"label": "s", "op": "split", "axis": 1, "sizes": [1, 3], "inputs": ["x"]}], "results": ["s:1", "s", "s", "x"]})"});
  const ir::Graph one = graph_of("test.parts").file->graph;
  const std::vector<ir::Value> all = one.nodes()[0].outputs;
  const Tensor x = Tensor::of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  ref_cpu::CpuExecutor cpu;
  for (const ir::Graph& graph : {one, ir::passes::inline_bodies(one)}) {
    const ir::Tensors made = cpu.run(graph, {{"x", x}}, all);
    EXPECT_THAT(made.at(all[0]).as<float>(), ElementsAre(2, 3, 4, 6, 7, 8));
    EXPECT_THAT(made.at(all[1]).as<float>(), ElementsAre(1, 5));
    EXPECT_THAT(made.at(all[2]).as<float>(), ElementsAre(1, 5));
    EXPECT_THAT(made.at(all[3]).as<float>(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_EQ(graph.name(all[1]), "y:1");
  }
}

// K3.
TEST(RegisterOp, WrongDeclarationsAreRefusedByName) {
  by_body();
  EXPECT_THAT(refusal_of({"test.by_body", schema, body}), HasSubstr("'test.by_body' is registered already"));
  EXPECT_THAT(refusal_of({"undotted", schema, body}), HasSubstr("'undotted' has no dot"));
  EXPECT_THAT(refusal_of({"test.", schema, body}), HasSubstr("words of letters"));
  EXPECT_THAT(refusal_of({"test.a", "{", body}), HasSubstr("'test.a': its schema: "));
  EXPECT_THAT(refusal_of({"test.a", replaced(schema, "\"inputs\"", "\"ins\""), body}), HasSubstr("has no field 'ins'"));
  EXPECT_THAT(refusal_of({"test.a", replaced(schema, "\"real\"", "\"float\""), body}),
              HasSubstr("has no kind 'float'"));
  EXPECT_THAT(refusal_of({"test.a", replaced(schema, "1.702", "\"much\""), body}),
              HasSubstr("attribute 'beta': default must be of kind real"));
  EXPECT_THAT(refusal_of({"test.a", schema, replaced(body, "\"x\": {", "\"z\": {")}),
              HasSubstr("input 0 is 'z', declared as 'x'"));
  EXPECT_THAT(refusal_of({"test.a", schema, replaced(body, "f32[2, 3]", "i32[2, 3]")}), HasSubstr("declared as"));
  EXPECT_THAT(refusal_of({"test.a", schema, replaced(body, "$beta", "$gamma")}), HasSubstr("'$gamma' is no attribute"));
  EXPECT_THAT(refusal_of({"test.a", schema, replaced(body, "\"unary\"", "\"test.a\"")}),
              HasSubstr("there is no op 'test.a'"));
  EXPECT_THAT(refusal_of({"test.a", schema}), HasSubstr("nothing defines it"));
  EXPECT_EQ(ir::find_schema("test.a"), nullptr) << "what was refused is not there";
}

TEST(RegisterOp, ABodyOfOtherTypesThanDeclaredIsRefused) {
  const std::string as_bool = replaced(body, R"("op": "binary", "function": "multiply", "inputs": ["x", "gate"])",
                                       R"("op": "compare", "function": "less", "inputs": ["x", "gate"])");
  EXPECT_THAT(refusal_of({"test.b", schema, as_bool}),
              HasSubstr("output 'y' is bool[2, 3] by its body, declared as x"));
  const std::string two = replaced(body, R"("results": ["y"])", R"("results": ["y", "gate"])");
  EXPECT_THAT(refusal_of({"test.b", schema, two}), HasSubstr("its body has 2 results, and 1 are declared"));
}

using Views = std::span<const ir::TensorView>;
using Results = std::span<const ir::MutableView>;

/// x·x·x in f32 and f64.
void cube(const ir::RegisteredOp&, Views in, Results out) {
  const auto of = [&]<class T>(const T*) {
    const auto x = in[0].as<T>();
    for (std::size_t i = 0; i < x.size(); ++i) out[0].as<T>()[i] = x[i] * x[i] * x[i];
  };
  in[0].dtype() == ir::DType::f64 ? of(static_cast<const double*>(nullptr)) : of(static_cast<const float*>(nullptr));
}

void bounds_of_cube(const ir::RegisteredOp&, double unit, Views in, Results stated) {
  const auto x = in[0].as<double>();
  for (std::size_t i = 0; i < x.size(); ++i) stated[0].as<double>()[i] = 2.01 * unit * std::abs(x[i] * x[i] * x[i]);
}

constexpr auto plain = R"({"inputs": [{"name": "x"}], "outputs": [{"name": "y", "type": "as x"}]})";

TEST(RegisterOp, OwnCodeWithoutABodyNeedsBounds) {
  EXPECT_THAT(refusal_of({"test.c", plain, "", {.cpu = cube}}), HasSubstr("bounds must"));
  EXPECT_THAT(refusal_of({"test.c", R"({"inputs": [{"name": "x"}], "outputs": [{"name": "y"}]})", "", {.cpu = cube}}),
              HasSubstr("each output must be like an input"));
}

TEST(RegisterOp, OwnCodeIsTheDefinitionWithinTheBoundsThatItStates) {
  register_tried_op({"test.cube", plain, "", {.cpu = cube, .bounds = bounds_of_cube}});
  const Model model = graph_of("test.cube");
  const auto answer = [&](double factor) {
    const auto mine = [factor](ir::Feeds& inputs, const std::vector<parity::foreign::AskedValue>&) {
      Tensor y(inputs.at("x").type());
      const auto x = std::as_const(inputs.at("x")).as<float>();
      for (std::size_t i = 0; i < x.size(); ++i) y.as<float>()[i] = static_cast<float>(factor * x[i] * x[i] * x[i]);
      return AnsweredValues{{"y", y}};
    };
    return verify(model, *parity::foreign::candidate_of(mine, {.name = "mine"}));
  };
  const auto right = answer(1);
  EXPECT_EQ(right.verdict, Verdict::passed) << right.message;
  EXPECT_THAT(right.notes, Contains(HasSubstr("test.cube is what its author's code makes of it")));
  EXPECT_EQ(answer(1 + 1e-6).verdict, Verdict::failed);
  ref_cpu::CpuExecutor cpu;
  EXPECT_EQ(verify(model, cpu).verdict, Verdict::passed);
}

TEST(RegisterOp, OwnCodeBesideABodyIsHeldToIt) {
  const auto code_of = [](double beta) {
    return [beta](const ir::RegisteredOp&, Views in, Results out) {
      const auto of = [&]<class T>(const T*) {
        const auto x = in[0].as<T>();
        for (std::size_t i = 0; i < x.size(); ++i)
          out[0].as<T>()[i] = static_cast<T>(x[i] * (1 / (1 + std::exp(-T(beta) * x[i]))));
      };
      in[0].dtype() == ir::DType::f64 ? of(static_cast<const double*>(nullptr))
                                      : of(static_cast<const float*>(nullptr));
    };
  };
  EXPECT_THAT(refusal_of({"test.wrong", schema, body, {.cpu = code_of(1.7)}}),
              HasSubstr("the op 'test.wrong': cpu is not what its body says: element "));
  // beta is an f32 in the body.
  EXPECT_EQ(refusal_of({"test.both", schema, body, {.cpu = code_of(1.702f)}}), "");
}

TEST(RegisterOp, WhatOwnCodeMustNotDoIsAnErrorThatNamesIt) {
  const auto past_the_end = [](const ir::RegisteredOp& op, Views in, Results out) {
    cube(op, in, out);
    out[0].bytes().data()[out[0].bytes().size()] = std::byte{1};
  };
  const auto changes_x = [](const ir::RegisteredOp& op, Views in, Results out) {
    cube(op, in, out);
    const_cast<std::byte&>(in[0].bytes()[0]) = std::byte{7};
  };
  const auto refuses = [](const ir::RegisteredOp&, Views, Results) { ir::fail("has no licence"); };
  const auto message = [](const std::string& name) {
    ref_cpu::CpuExecutor cpu;
    const auto result = verify(graph_of(name), cpu);
    EXPECT_EQ(result.verdict, Verdict::error);
    return result.message;
  };
  register_tried_op({"test.past", plain, "", {.cpu = past_the_end, .bounds = bounds_of_cube}});
  register_tried_op({"test.changes", plain, "", {.cpu = changes_x, .bounds = bounds_of_cube}});
  register_tried_op({"test.refuses", plain, "", {.cpu = refuses, .bounds = bounds_of_cube}});
  EXPECT_THAT(message("test.past"), HasSubstr("test.past: cpu writes outside of result 0, f32[2, 4]"));
  EXPECT_THAT(message("test.changes"), HasSubstr("test.changes: cpu changes operand 0"));
  EXPECT_THAT(message("test.refuses"), HasSubstr("test.refuses: cpu has no licence"));
}

TEST(RegisterOp, CodeComputesInTheUsualFloatEnvironmentAndLeavesItSo) {
  const auto spoils = [](const ir::RegisteredOp& op, Views in, Results out) {
    EXPECT_TRUE(tests::has_usual_floats());
    cube(op, in, out);
    std::fesetround(FE_UPWARD);
    tests::flush();
  };
  register_tried_op({"test.spoils", plain, "", {.cpu = spoils, .bounds = bounds_of_cube}});
  const tests::OddFloats odd;
  ref_cpu::CpuExecutor cpu;
  EXPECT_EQ(verify(graph_of("test.spoils"), cpu).verdict, Verdict::passed);
  EXPECT_TRUE(tests::has_odd_floats());
}

}  // namespace
}  // namespace plumb::library::register_op_test
