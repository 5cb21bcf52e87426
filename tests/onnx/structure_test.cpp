// Parts of a model other than plain nodes: subgraphs, functions, tensors of every kind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::structure_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> floats(const ir::Tensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

void add_value(::onnx::GraphProto& graph, const std::string& name, bool is_input) {
  auto* value = is_input ? graph.add_input() : graph.add_output();
  value->set_name(name);
}

void add_node(::onnx::GraphProto& graph, const std::string& op, const std::vector<std::string>& inputs,
              const std::string& output) {
  auto* node = graph.add_node();
  node->set_op_type(op);
  for (const auto& name : inputs) node->add_input(name);
  node->add_output(output);
}

/// Loop for `trips` iterations: state <- state + x, stacking what the state was.
ModelMaker running_sum(std::int64_t trips) {
  ModelMaker maker(13);
  maker.input("x", {2}).initializer("trips", std::vector<std::int64_t>{trips});
  maker.initializer("start", {2}, {0, 0}).output("last").output("before");
  auto& loop = maker.node("Loop", {"trips", "", "start"}, {"last", "before"});
  auto& body = set_graph(loop, "body");
  for (const char* name : {"t", "go", "state"}) add_value(body, name, true);
  add_node(body, "Add", {"state", "x"}, "next");  // x is of the graph around
  add_node(body, "Identity", {"state"}, "was");
  add_node(body, "Identity", {"go"}, "go_on");
  for (const char* name : {"go_on", "next", "was"}) add_value(body, name, false);
  maker.proto().set_ir_version(99);  // the checker wants types of what these leave out
  return maker;
}

TEST(OnnxLoop, RunsItsBodyAsOftenAsItSays) {
  const auto maker = running_sum(3);
  EXPECT_THAT(floats(maker.run({{"x", ir::Tensor::of<float>({2}, {1, 10})}})), ElementsAre(3, 30));
  const auto model = maker.read();
  EXPECT_EQ(model.file.graph.type(model.file.graph.results().at(1)).shape, (ir::Shape{3, 2}));
  EXPECT_TRUE(model.file.graph.find("last/1/next")) << ir::to_text(model.file.graph);
}

TEST(OnnxLoop, OfAnyLengthIsRefusedInTime) {
  EXPECT_THAT(message_of([] { running_sum(std::int64_t{1} << 60).read(); }), HasSubstr("(Loop, opset 13): "));
}

/// If(condition): x + 1, else x - 1.
ModelMaker plus_or_minus_one() {
  ModelMaker maker(13);
  maker.input("x", {2}).input("condition", {}, ::onnx::TensorProto::BOOL).initializer("one", {}, {1}).output("y");
  auto& node = maker.node("If", {"condition"}, {"y"});
  auto& then_graph = set_graph(node, "then_branch");
  add_node(then_graph, "Add", {"x", "one"}, "sum");
  add_value(then_graph, "sum", false);
  auto& else_graph = set_graph(node, "else_branch");
  add_node(else_graph, "Sub", {"x", "one"}, "difference");
  add_value(else_graph, "difference", false);
  maker.proto().set_ir_version(99);
  return maker;
}

TEST(OnnxIf, WithAnUnknownConditionComputesBothAndChooses) {
  const auto maker = plus_or_minus_one();
  const auto model = maker.read();
  ASSERT_EQ(model.file.graph.inputs().size(), 2u);
  ref_cpu::CpuExecutor executor;
  for (const bool condition : {true, false}) {
    ir::Feeds feeds = ir::formats::materialise(model.file, 1);
    feeds.insert_or_assign("x", ir::Tensor::of<float>({2}, {5, 7}));
    feeds.insert_or_assign("condition", ir::Tensor::of<bool>({}, {condition}));
    const auto y = executor.run(model.file.graph, feeds, model.file.graph.results()).begin()->second;
    EXPECT_EQ(floats(y)[0], condition ? 6 : 4);
  }
}

TEST(OnnxIf, WithAKnownConditionIsTheBranch) {
  const auto model = plus_or_minus_one().read({.given = {{"condition", ir::Tensor::of<bool>({}, {false})}}});
  EXPECT_TRUE(model.file.graph.find("y/difference") || model.file.graph.find("y")) << ir::to_text(model.file.graph);
  for (const auto& node : model.file.graph.nodes()) EXPECT_NE(node.op.name(), "where");
}

/// If(rate == 16000): x as it is, else a row of `op` that x does not fit, as in networks for two sampling rates.
ModelMaker for_two_rates(const std::string& op) {
  ModelMaker maker(13);
  maker.input("x", {2, 3}).input("rate", {}, ::onnx::TensorProto::INT64).output("y");
  maker.initializer("sixteen", std::vector<std::int64_t>{16000}).initializer("row", {2}, {1, 2});
  maker.node("Equal", {"rate", "sixteen"}, {"is_sixteen"});
  auto& node = maker.node("If", {"is_sixteen"}, {"y"});
  auto& then_graph = set_graph(node, "then_branch");
  add_node(then_graph, "Relu", {"x"}, "as_it_is");
  add_value(then_graph, "as_it_is", false);
  auto& else_graph = set_graph(node, "else_branch");
  add_node(else_graph, op, {"x", "row"}, "never");
  add_value(else_graph, "never", false);
  for (auto* graph : {&then_graph, &else_graph}) {
    auto& type = *graph->mutable_output(0)->mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    type.mutable_shape();
  }
  return maker;
}

ir::formats::OnnxOptions rate(std::int64_t value) {
  return {.given = {{"rate", ir::Tensor::of<std::int64_t>({}, {value})}}};
}

TEST(OnnxIf, ABranchThatDoesNotFitIsAnErrorWhereItMayBeTaken) {
  const auto maker = for_two_rates("Add");
  const auto model = maker.read(rate(16000));
  EXPECT_EQ(model.file.graph.type(model.file.graph.results().at(0)).shape, (ir::Shape{2, 3}));
  EXPECT_THAT(model.notes, ElementsAre(HasSubstr("input 'rate'")));
  EXPECT_THAT(message_of([&] { maker.read(rate(8000)); }), HasSubstr("(Add, opset 13): "));
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("--input 'rate=1'"));
}

TEST(OnnxIf, ABranchThatTheCheckerRefusesIsAnErrorWhereItMayBeTaken) {
  const auto maker = for_two_rates("NoSuchOperator");
  EXPECT_THAT(maker.read(rate(16000)).notes, ::testing::Contains(HasSubstr("does not pass ONNX's checker")));
  for (const auto& options : {rate(8000), ir::formats::OnnxOptions()})
    EXPECT_THAT(message_of([&] { maker.read(options); }), HasSubstr("ONNX's checker: No Op registered"));
}

TEST(OnnxIf, AConditionOfManyGivenNumbersIsSettled) {
  ModelMaker maker(13);
  maker.input("x", {5000}).initializer("half", {}, {0.5F}).output("y");
  auto& mean = maker.node("ReduceMean", {"x"}, {"mean"});
  set_int(mean, "keepdims", 0);
  maker.node("Greater", {"mean", "half"}, {"is_loud"});
  auto& node = maker.node("If", {"is_loud"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto& graph = set_graph(node, branch);
    add_node(graph, branch[0] == 't' ? "Relu" : "Shape", {"x"}, branch);
    add_value(graph, branch, false);
  }
  maker.proto().set_ir_version(99);
  for (const float level : {1.0F, 0.0F}) {
    ir::Tensor x({ir::DType::f32, {5000}});
    std::ranges::fill(x.as<float>(), level);
    const auto model = maker.read({.given = {{"x", x}}});
    EXPECT_EQ(model.file.graph.type(model.file.graph.results().at(0)).shape, (ir::Shape{level > 0 ? 5000 : 1}));
  }
}

TEST(OnnxLoop, RunsAsOftenAsAnInputSays) {
  auto maker = running_sum(3);
  maker.graph().clear_initializer();
  maker.initializer("start", {2}, {0, 0}).input("trips", {}, ::onnx::TensorProto::INT64);
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("it depends on input 'trips'"));
  const auto model = maker.read({.given = {{"trips", ir::Tensor::of<std::int64_t>({}, {4})}}});
  EXPECT_EQ(model.file.graph.type(model.file.graph.results().at(1)).shape, (ir::Shape{4, 2}));
}

TEST(OnnxFunction, OfTheModelIsInlinedWithItsAttributes) {
  ModelMaker maker(15);
  maker.input("x", {1, 2}).output("y");
  auto* import = maker.proto().add_opset_import();
  import->set_domain("mine");
  import->set_version(1);
  auto* function = maker.proto().add_functions();
  function->set_domain("mine");
  function->set_name("Flat");
  function->add_input("v");
  function->add_output("w");
  function->add_attribute("from");
  auto* inner = function->add_node();
  inner->set_op_type("Flatten");
  inner->add_input("v");
  inner->add_output("w");
  auto* axis = inner->add_attribute();
  axis->set_name("axis");
  axis->set_type(::onnx::AttributeProto::INT);
  axis->set_ref_attr_name("from");
  *function->add_opset_import() = maker.proto().opset_import(0);
  auto& node = maker.node("Flat", {"x"}, {"y"});
  node.set_domain("mine");
  set_int(node, "from", 0);
  EXPECT_EQ(maker.run({{"x", ir::Tensor::of<float>({1, 2}, {1, 2})}}).shape(), (ir::Shape{1, 2}));
  node.mutable_attribute(0)->set_i(2);
  EXPECT_EQ(maker.run({{"x", ir::Tensor::of<float>({1, 2}, {1, 2})}}).shape(), (ir::Shape{2, 1}));
}

TEST(OnnxFunction, ThatCallsItselfIsRefused) {
  ModelMaker maker(15);
  maker.input("x", {2}).output("y");
  auto* function = maker.proto().add_functions();
  function->set_name("Endless");
  function->add_input("v");
  function->add_output("w");
  for (const char* output : {"u", "w"}) {  // twice, or the depth alone would end it
    auto* inner = function->add_node();
    inner->set_op_type("Endless");
    inner->add_input("v");
    inner->add_output(output);
  }
  *function->add_opset_import() = maker.proto().opset_import(0);
  maker.node("Endless", {"x"}, {"y"});
  maker.proto().set_ir_version(99);
  EXPECT_THAT(message_of([&] { maker.read({.most_nodes = 1000}); }), HasSubstr("Endless"));
}

::onnx::TensorProto tensor_proto(int type, const std::vector<std::int64_t>& extents) {
  ::onnx::TensorProto proto;
  proto.set_data_type(type);
  for (const auto extent : extents) proto.add_dims(extent);
  return proto;
}

TEST(TensorProto, HalvesComeAsBitsInBothFields) {
  auto typed = tensor_proto(::onnx::TensorProto::FLOAT16, {2});
  typed.add_int32_data(0x3C00);
  typed.add_int32_data(0xC000);
  auto raw = tensor_proto(::onnx::TensorProto::BFLOAT16, {2});
  raw.set_raw_data(std::string("\x80\x3F\x00\xC0", 4));
  const auto from_typed = ir::formats::parse_tensor_proto(typed.SerializeAsString()).tensor;
  const auto from_raw = ir::formats::parse_tensor_proto(raw.SerializeAsString()).tensor;
  EXPECT_EQ(from_typed.dtype(), ir::DType::f16);
  EXPECT_EQ(from_raw.dtype(), ir::DType::bf16);
  EXPECT_THAT(floats(ir::convert(from_typed, ir::DType::f32)), ElementsAre(1, -2));
  EXPECT_THAT(floats(ir::convert(from_raw, ir::DType::f32)), ElementsAre(1, -2));
}

TEST(TensorProto, SmallIntegersAndBoolsComeInInt32) {
  auto codes = tensor_proto(::onnx::TensorProto::INT8, {2});
  codes.add_int32_data(-128);
  codes.add_int32_data(127);
  const auto bytes = ir::formats::parse_tensor_proto(codes.SerializeAsString()).tensor;
  EXPECT_THAT(bytes.as<std::int8_t>(), ElementsAre(-128, 127));
  auto flags = tensor_proto(::onnx::TensorProto::BOOL, {2});
  flags.set_raw_data(std::string("\x00\x05", 2));
  const auto bools = ir::formats::parse_tensor_proto(flags.SerializeAsString()).tensor;
  EXPECT_EQ(bools.bytes()[1], std::byte{1});
}

TEST(TensorProto, OfAnotherSizeThanItSaysIsRefused) {
  auto proto = tensor_proto(::onnx::TensorProto::FLOAT, {std::int64_t{1} << 40});
  proto.add_float_data(1);
  EXPECT_THAT(message_of([&] { ir::formats::parse_tensor_proto(proto.SerializeAsString()); }),
              HasSubstr("has 1 values"));
  auto negative = tensor_proto(::onnx::TensorProto::FLOAT, {-1});
  EXPECT_THROW(ir::formats::parse_tensor_proto(negative.SerializeAsString()), ir::Error);
  auto strings = tensor_proto(::onnx::TensorProto::STRING, {1});
  EXPECT_THROW(ir::formats::parse_tensor_proto(strings.SerializeAsString()), ir::Unsupported);
}

/// A model in a folder of its own, whose one initialiser lies in a file.
class ExternalData : public ::testing::Test {
 protected:
  ExternalData() : folder_(std::filesystem::path(::testing::TempDir()) / "plumb_external") {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "weights.bin", std::ios::binary).write("pad.\x00\x00\x80\x3F\x00\x00\x00\x40", 12);
    maker_.input("x", {2}).output("y");
    maker_.node("Add", {"x", "w"}, {"y"});
    auto* tensor = maker_.graph().add_initializer();
    *tensor = tensor_proto(::onnx::TensorProto::FLOAT, {2});
    tensor->set_name("w");
    tensor->set_data_location(::onnx::TensorProto::EXTERNAL);
    set("location", "weights.bin");
    set("offset", "4");
  }
  void set(const std::string& key, const std::string& value) {
    auto& entries = *maker_.graph().mutable_initializer(0)->mutable_external_data();
    auto* entry = entries.Add();
    for (auto& old : entries)
      if (old.key() == key) entry = &old;
    if (entry->key() == key) entries.RemoveLast();
    entry->set_key(key);
    entry->set_value(value);
  }
  ir::formats::OnnxModel read() {
    ref_cpu::CpuExecutor executor;
    maker_.proto().set_ir_version(99);  // the checker has words of its own for these
    return ir::formats::parse_onnx(maker_.bytes(), folder_, {.evaluate = ir::formats::evaluate_with(executor)});
  }

  std::filesystem::path folder_;
  ModelMaker maker_{13};
};

TEST_F(ExternalData, IsReadWhereItLies) {
  const auto model = read();
  EXPECT_THAT(floats(std::get<ir::Tensor>(model.file.sources.at("w"))), ElementsAre(1, 2));
}

TEST_F(ExternalData, OutsideTheFolderOrTheFileIsRefused) {
  for (const char* location : {"../weights.bin", "/etc/passwd", "", "nothing.bin"}) {
    set("location", location);
    EXPECT_THROW(read(), ir::Error) << location;
  }
  set("location", "weights.bin");
  for (const char* offset : {"5", "-1", "99999999999999999999", "x"}) {
    set("offset", offset);
    EXPECT_THROW(read(), ir::Error) << offset;
  }
  std::filesystem::create_directories(folder_ / "inner");
  std::filesystem::remove(folder_ / "inner" / "link");
  std::filesystem::create_symlink("/etc", folder_ / "inner" / "link");
  set("offset", "0");
  set("location", "inner/link/passwd");
  EXPECT_THAT(message_of([&] { read(); }), HasSubstr("leads out of the folder of the file that names it"));
}

/// An If within an If, so often.
ModelMaker nested_ifs(int count) {
  ModelMaker maker(13);
  maker.input("x", {2}).initializer("yes", ir::Tensor({ir::DType::boolean, {}})).output("y0");
  auto* graph = &maker.graph();
  for (int k = 0; k < count; ++k) {
    auto& node = *graph->add_node();
    node.set_op_type("If");
    node.add_input("yes");
    node.add_output(ir::cat("y", k));
    auto& other = set_graph(node, "else_branch");
    add_node(other, "Identity", {"x"}, ir::cat("z", k));
    add_value(other, ir::cat("z", k), false);
    graph = &set_graph(node, "then_branch");
    add_value(*graph, ir::cat("y", k + 1), false);
  }
  add_node(*graph, "Identity", {"x"}, ir::cat("y", count));
  return maker;
}

TEST(OnnxFiles, GraphsThatNestTooDeeplyAreNotTakenForDamage) {
  const auto refusal = [](int count) {
    return tests::message_of([&] { static_cast<void>(nested_ifs(count).read()); });
  };
  EXPECT_THAT(refusal(60), HasSubstr("nests graphs (If, Loop, Scan) too deeply: protobuf reads 100 messages"));
  EXPECT_THAT(refusal(20), ::testing::Not(HasSubstr("nests graphs")));
}

}  // namespace
}  // namespace plumb::tests::structure_test
