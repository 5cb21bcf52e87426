// Functions of the model (IR 8 to 10), and fields that are newer than the ONNX library: their bytes are written here.

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::functions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> floats(const ir::Tensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

/// The message with a field of text or bytes that its class need not know.
template <class Message>
void add_bytes(Message& message, int field, const std::string& bytes) {
  google::protobuf::UnknownFieldSet more;
  more.AddLengthDelimited(field, bytes);
  std::string added;
  ASSERT_TRUE(more.SerializeToString(&added) && message.ParseFromString(message.SerializeAsString() + added));
}

constexpr int node_overload = 8, function_defaults = 11, function_overload = 13;

/// A model of IR 10 whose function `F` of domain "mine" computes w of v.
ModelMaker model_with_function(const std::string& op) {
  ModelMaker maker(17);
  maker.proto().set_ir_version(10);
  maker.input("x", {2}).output("y");
  auto* import = maker.proto().add_opset_import();
  import->set_domain("mine");
  import->set_version(1);
  auto& function = *maker.proto().add_functions();
  function.set_domain("mine");
  function.set_name("F");
  function.add_input("v");
  function.add_output("w");
  *function.add_opset_import() = maker.proto().opset_import(0);
  auto& inner = *function.add_node();
  inner.set_op_type(op);
  inner.add_input("v");
  inner.add_output("w");
  maker.node("F", {"x"}, {"y"}).set_domain("mine");
  return maker;
}

void refer(::onnx::NodeProto& node, const std::string& name, const std::string& of_function) {
  set_real(node, name, 0);
  node.mutable_attribute(node.attribute_size() - 1)->clear_f();
  node.mutable_attribute(node.attribute_size() - 1)->set_ref_attr_name(of_function);
}

std::string real_attribute(const std::string& name, float value) {
  ::onnx::NodeProto node;
  set_real(node, name, value);
  return node.attribute(0).SerializeAsString();
}

TEST(OnnxFunction, TakesTheDefaultOfAnAttributeThatTheCallLeavesOut) {
  ModelMaker maker = model_with_function("LeakyRelu");
  auto& function = *maker.proto().mutable_functions(0);
  refer(*function.mutable_node(0), "alpha", "slope");
  add_bytes(function, function_defaults, real_attribute("other", 3));
  add_bytes(function, function_defaults, real_attribute("slope", 0.25f));
  const ir::Feeds x = {{"x", ir::Tensor::of<float>({2}, {-4, 5})}};
  EXPECT_THAT(floats(maker.run(x)), ElementsAre(-1, 5));
  set_real(*maker.graph().mutable_node(0), "slope", 0.5f);
  EXPECT_THAT(floats(maker.run(x)), ElementsAre(-2, 5));
}

TEST(OnnxFunction, HandsTheDefaultOnToAFunctionInIt) {
  ModelMaker maker = model_with_function("LeakyRelu");
  auto& inner = *maker.proto().mutable_functions(0);
  inner.set_name("Inner");
  inner.add_attribute("slope");
  refer(*inner.mutable_node(0), "alpha", "slope");
  auto& outer = *maker.proto().add_functions();
  outer = inner;
  outer.set_name("F");
  outer.mutable_node(0)->set_op_type("Inner");
  outer.mutable_node(0)->set_domain("mine");
  outer.mutable_node(0)->clear_attribute();
  refer(*outer.mutable_node(0), "slope", "gain");
  outer.clear_attribute();
  add_bytes(outer, function_defaults, real_attribute("gain", 2));
  EXPECT_THAT(floats(maker.run({{"x", ir::Tensor::of<float>({2}, {-4, 5})}})), ElementsAre(-8, 5));
}

TEST(OnnxFunction, DamagedDefaultsAreRefused) {
  ModelMaker maker = model_with_function("LeakyRelu");
  add_bytes(*maker.proto().mutable_functions(0), function_defaults, "\x0A\x7F");
  EXPECT_THROW(maker.read(), ir::Error);
}

TEST(OnnxFunction, IsToldFromItsNamesakesByTheOverload) {
  ModelMaker maker = model_with_function("Neg");
  auto& second = *maker.proto().add_functions();
  second = maker.proto().functions(0);
  second.mutable_node(0)->set_op_type("Abs");
  add_bytes(second, function_overload, "absolute");
  const ir::Feeds x = {{"x", ir::Tensor::of<float>({2}, {-4, 5})}};
  EXPECT_THAT(floats(maker.run(x)), ElementsAre(4, -5));
  auto& call = *maker.graph().mutable_node(0);
  add_bytes(call, node_overload, "absolute");
  EXPECT_THAT(floats(maker.run(x)), ElementsAre(4, 5));
  // The last one counts where a field is there twice.
  add_bytes(call, node_overload, "another");
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("no function of that name with overload 'another'"));
}

TEST(OnnxFunction, OfOneNameTwiceIsRefused) {
  ModelMaker maker = model_with_function("Neg");
  auto& second = *maker.proto().add_functions();
  second = maker.proto().functions(0);
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("two functions of that name"));
}

TEST(OnnxFunction, KeepsToItsOwnOpsetByEitherNameOfTheDomain) {
  for (const char* const domain : {"", "ai.onnx"}) {
    ModelMaker maker = model_with_function("Softmax");
    maker.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(2);
    auto& import = *maker.proto().mutable_functions(0)->mutable_opset_import(0);
    import.set_domain(domain);
    import.set_version(11);  // all axes from 1 on are one line, of [2, 2] the same as the last; from 0 on it is not
    set_int(*maker.proto().mutable_functions(0)->mutable_node(0), "axis", 0);
    const auto y = floats(maker.run({{"x", ir::Tensor::of<float>({2, 2}, {0, 0, 0, 0})}}));
    EXPECT_THAT(y, ElementsAre(0.25f, 0.25f, 0.25f, 0.25f)) << domain;
  }
}

TEST(OnnxFunction, WithMoreInputsThanItTakesIsRefused) {
  ModelMaker maker = model_with_function("Neg");
  maker.graph().mutable_node(0)->add_input("x");
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("has 2 inputs, its function takes 1"));
}

TEST(OnnxModel, OfTwoOpsetsOfOneDomainIsRefused) {
  ModelMaker maker(17);
  maker.proto().set_ir_version(10);
  maker.input("x", {2}).output("y");
  maker.node("Relu", {"x"}, {"y"});
  auto* import = maker.proto().add_opset_import();
  import->set_domain("ai.onnx");
  import->set_version(11);
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("opsets 17 and 11 of one domain"));
}

TEST(OnnxModel, WithAnAttributeThatNobodyKnowsIsRefused) {
  ModelMaker maker(17);
  maker.proto().set_ir_version(10);
  maker.input("x", {2}).output("y");
  set_real(maker.node("Relu", {"x"}, {"y"}), "bend", 0.5f);
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("its attribute 'bend' is not known"));
  EXPECT_THROW(maker.read(), ir::Unsupported);
}

/// Where a field may be that nobody knows, and how to put one there.
struct Place {
  const char* message;
  std::function<void(ModelMaker&, int field)> put;
  std::vector<int> harmless;
};

void PrintTo(const Place& place, std::ostream* out) { *out << place.message; }

class NewerFields : public ::testing::TestWithParam<Place> {};

TEST_P(NewerFields, AreRefusedByNumberUnlessTheyAreKnownToChangeNothing) {
  const auto model_with = [&](int field) {
    ModelMaker maker = model_with_function("LeakyRelu");
    maker.initializer("w", {2}, {1, 1}).node("Add", {"y", "w"}, {"z"});
    maker.output("z");
    set_real(*maker.proto().mutable_functions(0)->mutable_node(0), "alpha", 0.5f);
    GetParam().put(maker, field);
    return maker;
  };
  for (const int field : GetParam().harmless) EXPECT_NO_THROW(model_with(field).read()) << field;
  const auto unknown = model_with(77);
  EXPECT_THAT(message_of([&] { unknown.read(); }), HasSubstr(ir::cat("field 77 of ", GetParam().message)));
  EXPECT_THROW(unknown.read(), ir::Unsupported);
}

template <class Choose>
Place place(const char* message, Choose choose, std::vector<int> harmless = {}) {
  return {message, [choose](ModelMaker& maker, int field) { add_bytes(choose(maker), field, ""); }, harmless};
}

// Parsing a message again would move what is in it, so that each is found anew.
INSTANTIATE_TEST_SUITE_P(
    , NewerFields,
    ::testing::Values(
        place("ModelProto", [](ModelMaker& m) -> auto& { return m.proto(); }, {26}),
        place(
            "OperatorSetIdProto", [](ModelMaker& m) -> auto& { return *m.proto().mutable_opset_import(0); }),
        place("GraphProto", [](ModelMaker& m) -> auto& { return m.graph(); }, {16}),
        place("NodeProto", [](ModelMaker& m) -> auto& { return *m.graph().mutable_node(0); }, {9, 10}),
        place("FunctionProto", [](ModelMaker& m) -> auto& { return *m.proto().mutable_functions(0); }, {12, 14}),
        place(
            "AttributeProto", [](ModelMaker& m) -> auto& {
              return *m.proto().mutable_functions(0)->mutable_node(0)->mutable_attribute(0);
            }),
        place("TensorProto", [](ModelMaker& m) -> auto& { return *m.graph().mutable_initializer(0); }, {16}),
        place("ValueInfoProto", [](ModelMaker& m) -> auto& { return *m.graph().mutable_input(0); }, {4}),
        place(
            "TypeProto.Tensor", [](ModelMaker& m) -> auto& {
              return *m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
            })));

}  // namespace
}  // namespace plumb::tests::functions_test
