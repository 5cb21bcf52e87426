// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear of every version are read as one op each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::quantizers_test {
namespace {

using ir::DType;
using ir::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor reals(const ir::Shape& shape, const std::vector<float>& values, DType dtype = DType::f32) {
  return ir::convert(Tensor::of<float>(shape, values), dtype);
}
Tensor whole(DType dtype, const ir::Shape& shape, const std::vector<std::int32_t>& values) {
  return ir::convert(Tensor::of<std::int32_t>(shape, values), dtype);
}

/// A node whose first operand "x" is fed, and whose others are initialisers.
struct Quantizer {
  ModelMaker maker;
  Tensor x;

  Quantizer(const std::string& op, std::int64_t opset, Tensor fed, const std::vector<Tensor>& others)
      : maker(opset), x(std::move(fed)) {
    std::vector<std::string> names = {"x"};
    maker.input("x", x.shape(), onnx_type(x.dtype())).output("y");
    for (const Tensor& one : others) {
      names.emplace_back(1, static_cast<char>('a' + names.size() - 1));
      maker.initializer(names.back(), one);
    }
    maker.node(op, names, {"y"});
  }
  ::onnx::NodeProto& node() { return *maker.graph().mutable_node(0); }
  Tensor answer() const { return maker.run({{"x", x}}); }
  std::vector<std::string> ops() const {
    std::vector<std::string> names;
    const auto model = maker.read();
    for (const ir::Node& one : model.file.graph.nodes()) names.emplace_back(one.op.name());
    return names;
  }
};

TEST(OnnxQuantizeLinear, IsOneOpWithTheZeroPointsDtype) {
  for (const std::int64_t opset : {10, 13}) {
    const Quantizer one("QuantizeLinear", opset, reals({2, 2}, {-1, 0.75f, 2, 300}),
                        {reals({1}, {0.5f}), whole(DType::i8, {}, {3})});
    EXPECT_THAT(numbers(one.answer()), ElementsAre(1, 5, 7, 127)) << "0.75 / 0.5 is a tie";
    EXPECT_EQ(one.answer().dtype(), DType::i8);
    EXPECT_EQ(std::ranges::count(one.ops(), "quantize_linear"), 1);
    EXPECT_EQ(std::ranges::count(one.ops(), "clamp") + std::ranges::count(one.ops(), "cast"), 0);
  }
  const Quantizer plain("QuantizeLinear", 13, reals({2}, {-1, 2}), {reals({}, {0.5f})});
  EXPECT_EQ(plain.answer().dtype(), DType::u8);
  EXPECT_THAT(numbers(plain.answer()), ElementsAre(0, 4));
}

TEST(OnnxQuantizeLinear, TakesAxesBlocksTypesAndPrecision) {
  Quantizer rows("QuantizeLinear", 13, reals({2, 2}, {1, 2, 3, 4}), {reals({2}, {0.5f, 0.25f})});
  set_int(rows.node(), "axis", 0);
  EXPECT_THAT(numbers(rows.answer()), ElementsAre(2, 4, 12, 16));
  Quantizer blocks("QuantizeLinear", 21, reals({1, 3}, {1, 2, 3}), {reals({1, 2}, {0.5f, 0.25f})});
  set_int(blocks.node(), "block_size", 2);
  set_int(blocks.node(), "output_dtype", ::onnx::TensorProto::INT16);
  set_int(blocks.node(), "saturate", 1);
  EXPECT_EQ(blocks.answer().dtype(), DType::i16);
  EXPECT_THAT(numbers(blocks.answer()), ElementsAre(2, 4, 12));
  Quantizer half("QuantizeLinear", 23, reals({2}, {1, 3}, DType::f16), {reals({}, {0.1f}, DType::f16)});
  set_int(half.node(), "precision", ::onnx::TensorProto::FLOAT);
  EXPECT_THAT(numbers(half.answer()), ElementsAre(10, 30));
}

TEST(OnnxQuantizeLinear, RefusesWhatNoDtypeHas) {
  Quantizer unsigned_zero("QuantizeLinear", 21, reals({2}, {1, 3}), {reals({}, {0.1f})});
  set_int(unsigned_zero.node(), "output_dtype", 18);
  EXPECT_THAT(message_of([&] { unsigned_zero.maker.read(); }), HasSubstr("float8e4m3fnuz"));
}

/// An initialiser of a type that the ONNX library does not know, packed as a file has it.
void add_codes(ModelMaker& maker, const std::string& name, std::int64_t extent, int type, const std::string& bytes) {
  auto* tensor = maker.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  tensor->add_dims(extent);
  tensor->set_raw_data(bytes);
}

constexpr int e4m3 = 17, e5m2 = 19, uint4 = 21, int4 = 22, e2m1 = 23, uint2 = 25, int2 = 26;

TEST(OnnxCodes, OfEveryTypeComeFromTheLowBitsOn) {
  struct Case {
    int type;
    std::string bytes;
    std::vector<double> numbers;
  };
  const Case all[] = {{int4, "\x71\x0F", {1, 7, -1}},        {uint4, "\x71\x0F", {1, 7, 15}},
                      {int2, "\x2D", {1, -1, -2}},           {uint2, "\x2D", {1, 3, 2}},
                      {e2m1, "\x73\x09", {1.5, 6, -0.5}},    {e4m3, "\x38\xC0\x7E", {1, -2, 448}},
                      {e5m2, "\x3C\xC0\x7B", {1, -2, 57344}}};
  for (const auto& [type, bytes, expected] : all) {
    ModelMaker maker(21);
    maker.proto().set_ir_version(10);
    maker.input("x", {3}).output("y");
    add_codes(maker, "codes", 3, type, bytes);
    maker.initializer("scale", {}, {2});
    maker.node("Reshape", {"codes", "shape"}, {"moved"});
    maker.initializer("shape", std::vector<std::int64_t>{3});
    maker.node("DequantizeLinear", {"moved", "scale"}, {"numbers"});
    maker.node("Add", {"x", "numbers"}, {"y"});
    std::vector<double> y = numbers(maker.run({{"x", reals({3}, {0, 0, 0})}}));
    for (double& one : y) one /= 2;
    EXPECT_EQ(y, expected) << type;
  }
}

TEST(OnnxCodes, AreMadeByQuantisersAndCasts) {
  const auto ask = [](const std::string& op, std::int64_t type, const std::vector<float>& x) {
    ModelMaker maker(21);
    maker.proto().set_ir_version(10);
    const auto count = static_cast<std::int64_t>(x.size());
    maker.input("x", {count}).output("y");
    if (op == "Cast") {
      set_int(maker.node("Cast", {"x"}, {"codes"}), "to", type);
      set_int(maker.node("Cast", {"codes"}, {"y"}), "to", ::onnx::TensorProto::FLOAT);
    } else {
      maker.initializer("scale", {}, {0.5f});
      set_int(maker.node("QuantizeLinear", {"x", "scale"}, {"codes"}), "output_dtype", type);
      maker.node("DequantizeLinear", {"codes", "scale"}, {"y"});
    }
    return numbers(maker.run({{"x", reals({count}, x)}}));
  };
  EXPECT_THAT(ask("QuantizeLinear", int4, {-9, 0.75f, 9}), ElementsAre(-4, 1, 3.5));
  EXPECT_THAT(ask("QuantizeLinear", uint2, {-9, 0.75f, 9}), ElementsAre(0, 1, 1.5));
  EXPECT_THAT(ask("QuantizeLinear", e4m3, {0.53125f, 1000}), ElementsAre(0.5, 224));
  EXPECT_THAT(ask("Cast", e4m3, {1.0625f, -1000, 0.001f}), ElementsAre(1, -448, 0.001953125));
  EXPECT_THAT(ask("Cast", e2m1, {5, -7, 0.3f}), ElementsAre(4, -6, 0.5));
}

TEST(OnnxCodes, AreNotTakenForIntegers) {
  ModelMaker maker(21);
  maker.proto().set_ir_version(10);
  maker.input("x", {2}).output("y");
  add_codes(maker, "codes", 2, uint4, "\x21");
  maker.node("Mul", {"codes", "codes"}, {"square"});
  set_int(maker.node("Cast", {"square"}, {"y"}), "to", ::onnx::TensorProto::FLOAT);
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("its input 0 is of uint4"));
  ModelMaker short_of(21);
  short_of.proto().set_ir_version(10);
  short_of.input("x", {3}).output("y");
  add_codes(short_of, "codes", 3, uint4, "\x21");
  set_int(short_of.node("Cast", {"codes"}, {"y"}), "to", ::onnx::TensorProto::FLOAT);
  EXPECT_THAT(message_of([&] { short_of.read(); }), HasSubstr("has 1 bytes of uint4, [3] wants 2"));
}

TEST(OnnxDequantizeLinear, IsOneOp) {
  Quantizer columns("DequantizeLinear", 13, whole(DType::u8, {2, 2}, {0, 128, 129, 255}),
                    {reals({2}, {0.5f, 2}), whole(DType::u8, {2}, {128, 1})});
  EXPECT_THAT(numbers(columns.answer()), ElementsAre(-64, 254, 0.5, 508));
  EXPECT_EQ(columns.ops(), std::vector<std::string>{"dequantize_linear"});
  Quantizer half("DequantizeLinear", 23, whole(DType::i8, {1, 3}, {1, 2, 3}), {reals({1, 2}, {0.5f, 0.25f})});
  set_int(half.node(), "block_size", 2);
  set_int(half.node(), "output_dtype", ::onnx::TensorProto::FLOAT16);
  EXPECT_EQ(half.answer().dtype(), DType::f16);
  EXPECT_THAT(numbers(half.answer()), ElementsAre(0.5, 1, 0.75));
}

TEST(OnnxDequantizeLinear, OfInt32TakesAZeroPointOfZeroAndOthersInF64) {
  const Tensor codes = whole(DType::i32, {2}, {2147483647, -7});
  const Quantizer zero("DequantizeLinear", 13, codes, {reals({}, {0.5f}), whole(DType::i32, {}, {0})});
  EXPECT_EQ(zero.ops(), std::vector<std::string>{"dequantize_linear"});
  EXPECT_THAT(numbers(zero.answer()), ElementsAre(1073741824, -3.5));
  const Quantizer other("DequantizeLinear", 13, codes, {reals({}, {2}), whole(DType::i32, {}, {2147483646})});
  EXPECT_THAT(numbers(other.answer()), ElementsAre(2, -4294967296.0)) << "f32 has no -4294967306";
}

TEST(OnnxDynamicQuantizeLinear, IsOneOpOfThreeResults) {
  ModelMaker maker(11);
  maker.input("x", {6}).output("y").output("scale").output("zero");
  maker.node("DynamicQuantizeLinear", {"x"}, {"y", "scale", "zero"});
  const auto made = maker.run_all({{"x", reals({6}, {0, 2, -3, -2.5f, 1.34f, 0.5f})}});
  EXPECT_THAT(numbers(made.at(0)), ElementsAre(153, 255, 0, 26, 221, 179));
  EXPECT_FLOAT_EQ(static_cast<float>(numbers(made.at(1)).at(0)), 5.0f / 255);
  EXPECT_THAT(numbers(made.at(2)), ElementsAre(153));
  const auto model = maker.read();
  const auto& nodes = model.file.graph.nodes();
  EXPECT_EQ(nodes.front().op.name(), "dynamic_quantize_linear");
  for (const ir::Node& one : nodes) EXPECT_TRUE(&one == nodes.data() || one.op.name() == "reshape") << one.op.name();
}

}  // namespace
}  // namespace plumb::tests::quantizers_test
