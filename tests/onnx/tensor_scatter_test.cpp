// Rows written into a cache, each sequence at a place of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::tensor_scatter_test {
namespace {

using ::testing::HasSubstr;

/// A step of two rows into a cache of four for each of two sequences.
ModelMaker cache_model(const std::string& mode, bool has_indices) {
  ModelMaker maker(24);
  maker.proto().set_ir_version(99);  // newer than any checker
  maker.input("cache", {2, 4, 1}).input("update", {2, 2, 1}).output("y");
  std::vector<std::string> operands = {"cache", "update"};
  if (has_indices) {
    maker.initializer("at", std::vector<std::int64_t>{1, 3});
    operands.push_back("at");
  }
  auto& node = maker.node("TensorScatter", operands, {"y"});
  if (!mode.empty()) set_text(node, "mode", mode);
  return maker;
}

std::vector<float> written(const ModelMaker& maker) {
  const ir::Tensor y = maker.run({{"cache", ir::Tensor::of<float>({2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8})},
                                  {"update", ir::Tensor::of<float>({2, 2, 1}, {10, 20, 30, 40})}});
  return {y.as<float>().begin(), y.as<float>().end()};
}

TEST(OnnxTensorScatter, WritesRowsWhereTheyAreSaidToGo) {
  EXPECT_THAT(written(cache_model("circular", true)), ::testing::ElementsAre(1, 10, 20, 4, 40, 6, 7, 30));
  EXPECT_THAT(written(cache_model("", false)), ::testing::ElementsAre(10, 20, 3, 4, 30, 40, 7, 8));
  EXPECT_THAT(message_of([] { written(cache_model("linear", true)); }), HasSubstr("write_indices[1] is 3"));
}

/// Along another axis than the last but one.
TEST(OnnxTensorScatter, TakesItsAxis) {
  ModelMaker maker(24);
  maker.proto().set_ir_version(99);
  maker.input("cache", {1, 3, 2, 1}).input("update", {1, 1, 2, 1}).output("y");
  maker.initializer("at", std::vector<std::int64_t>{2});
  set_int(maker.node("TensorScatter", {"cache", "update", "at"}, {"y"}), "axis", 1);
  const ir::Tensor y = maker.run({{"cache", ir::Tensor::of<float>({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6})},
                                  {"update", ir::Tensor::of<float>({1, 1, 2, 1}, {7, 8})}});
  EXPECT_THAT(std::vector<float>(y.as<float>().begin(), y.as<float>().end()), ::testing::ElementsAre(1, 2, 3, 4, 7, 8));
}

}  // namespace
}  // namespace plumb::tests::tensor_scatter_test
