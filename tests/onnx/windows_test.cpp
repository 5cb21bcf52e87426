// Window functions: operators whose values follow from attributes and a size that is known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/window.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::windows_test {
namespace {

using ir::ops::Window;
using ::testing::HasSubstr;
using Function = ir::ops::WindowFunction;

ModelMaker window_model(const std::string& op, std::int64_t size, bool periodic, int type) {
  ModelMaker maker(17);
  maker.initializer("size", std::vector<std::int64_t>{size}).output("y");
  maker.graph().mutable_initializer(0)->clear_dims();  // a number, no list
  maker.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  auto& node = maker.node(op, {"size"}, {"y"});
  set_int(node, "output_datatype", type);
  if (!periodic) set_int(node, "periodic", 0);
  return maker;
}

TEST(OnnxWindow, HasTheValuesOfTheOp) {
  for (const auto& [name, function] :
       {std::pair{"HannWindow", Function::hann}, std::pair{"HammingWindow", Function::hamming},
        std::pair{"BlackmanWindow", Function::blackman}})
    for (const auto& [type, dtype] :
         {std::pair{::onnx::TensorProto::FLOAT, ir::DType::f32}, std::pair{::onnx::TensorProto::DOUBLE, ir::DType::f64},
          std::pair{::onnx::TensorProto::FLOAT16, ir::DType::f16}})
      for (const bool periodic : {false, true}) {
        const ir::Tensor y = window_model(name, 9, periodic, type).run({});
        ASSERT_EQ(y.type(), (ir::TensorType{dtype, {9}}));
        EXPECT_TRUE(std::ranges::equal(y.bytes(), Window{function, 9, periodic, dtype}.values()))
            << name << ' ' << dtype;
      }
}

TEST(OnnxWindow, OfWholeNumbersIsCutOff) {
  const ir::Tensor y = window_model("HannWindow", 4, true, ::onnx::TensorProto::INT32).run({});
  EXPECT_EQ(y.type(), (ir::TensorType{ir::DType::i32, {4}}));
  EXPECT_THAT(std::vector<std::int32_t>(y.as<std::int32_t>().begin(), y.as<std::int32_t>().end()),
              ::testing::ElementsAre(0, 0, 1, 0));
}

TEST(OnnxWindow, OfANegativeSizeIsRefused) {
  EXPECT_THAT(message_of([] { window_model("HannWindow", -1, true, ::onnx::TensorProto::FLOAT).read(); }),
              HasSubstr("0 at least"));
}

}  // namespace
}  // namespace plumb::tests::windows_test
