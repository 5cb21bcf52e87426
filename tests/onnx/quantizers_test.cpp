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
  Quantizer float8("QuantizeLinear", 21, reals({2}, {1, 3}), {reals({}, {0.1f})});
  set_int(float8.node(), "output_dtype", 17);
  EXPECT_THAT(message_of([&] { float8.maker.read(); }), HasSubstr("float8e4m3fn"));
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
  EXPECT_EQ(std::ranges::count(zero.ops(), "dequantize_linear"), 1);
  EXPECT_EQ(std::ranges::count(zero.ops(), "binary") + std::ranges::count(zero.ops(), "cast"), 0);
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
