// Extents, counts and places that follow from real numbers: what ONNX's text, its shape inference and runtimes make of
// them, and what the file declares where these differ.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ir/convert.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::extents_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The output "y" of these extents.
void declare(ModelMaker& maker, const std::vector<std::int64_t>& extents, int type = ::onnx::TensorProto::FLOAT) {
  maker.output("y");
  auto* tensor = maker.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  for (const auto extent : extents) tensor->mutable_shape()->add_dim()->set_dim_value(extent);
}

/// 0, 1, 2, ...
ir::Tensor counted(const ir::TensorType& type) {
  ir::Tensor x({ir::DType::i64, type.shape});
  std::iota(x.as<std::int64_t>().begin(), x.as<std::int64_t>().end(), 0);
  return ir::convert(x, type.dtype);
}

std::vector<double> numbers(const ir::Tensor& tensor) {
  const ir::Tensor wide = ir::convert(tensor, ir::DType::f64);
  return {wide.as<double>().begin(), wide.as<double>().end()};
}

struct Resizing {
  std::int64_t opset = 13;
  ir::Shape x;
  std::vector<std::pair<std::string, std::string>> words = {};
  std::vector<float> scales = {}, roi = {};
  std::vector<std::int64_t> sizes = {};
};

ModelMaker resize(const Resizing& how) {
  ModelMaker maker(how.opset);
  maker.input("x", how.x);
  std::vector<std::string> inputs = {"x"};
  const auto reals = [&](const std::string& name, const std::vector<float>& values) {
    const bool is_there = !values.empty() || how.opset == 11;  // opset 11 wants empty lists
    inputs.push_back(is_there ? name : "");
    if (is_there) maker.initializer(name, {static_cast<std::int64_t>(values.size())}, values);
  };
  if (how.opset >= 11) reals("roi", how.roi);
  reals("scales", how.scales);
  if (!how.sizes.empty()) {
    maker.initializer("sizes", how.sizes);
    inputs.push_back("sizes");
  }
  auto& node = maker.node("Resize", inputs, {"y"});
  for (const auto& [name, word] : how.words) set_text(node, name, word);
  return maker;
}

std::vector<double> answer(ModelMaker maker, const ir::Shape& x, const std::vector<std::int64_t>& y) {
  declare(maker, y);
  return numbers(maker.run({{"x", counted({ir::DType::f32, x})}}));
}

const std::vector<std::pair<std::string, std::string>> floor_of_asymmetric = {
    {"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}};

TEST(OnnxResize, OfSizesHasNoRoundedScale) {
  EXPECT_THAT(answer(resize({.x = {10}, .words = floor_of_asymmetric, .sizes = {2}}), {10}, {2}), ElementsAre(0, 5));
  const auto ties = [](const std::string& mode) {
    return answer(resize({.x = {20}, .words = {{"nearest_mode", mode}}, .sizes = {6}}), {20}, {6});
  };
  EXPECT_THAT(ties("round_prefer_floor"), ElementsAre(1, 4, 8, 11, 14, 18));
  EXPECT_THAT(ties("round_prefer_ceil"), ElementsAre(1, 5, 8, 11, 15, 18));
  const Resizing of_opset_11{
      .opset = 11,
      .x = {7},
      .words = {{"coordinate_transformation_mode", "tf_half_pixel_for_nn"}, {"nearest_mode", "floor"}},
      .sizes = {3}};
  EXPECT_THAT(answer(resize(of_opset_11), {7}, {3}), ElementsAre(1, 3, 5));
}

TEST(OnnxResize, SizesOfScalesAreTakenInF32OrAsDeclared) {
  // 10 · 0.699999988 is 6.99999988, which is 7 in f32.
  const Resizing by_seven_tenths{.x = {10}, .words = floor_of_asymmetric, .scales = {0.7f}};
  EXPECT_THAT(answer(resize(by_seven_tenths), {10}, {7}), ElementsAre(0, 1, 2, 4, 5, 7, 8));
  EXPECT_THAT(answer(resize(by_seven_tenths), {10}, {6}), ElementsAre(0, 1, 2, 4, 5, 7));
  // 706 · 0.317280442 is 223.999992, in f32 too, but the scale is the f32 of 224/706.
  const Resizing to_224{.x = {706}, .words = floor_of_asymmetric, .scales = {224 / 706.0f}};
  EXPECT_EQ(answer(resize(to_224), {706}, {224}).size(), 224u);
  EXPECT_EQ(answer(resize(to_224), {706}, {223}).size(), 223u);
  EXPECT_EQ(answer(resize(to_224), {706}, {222}).size(), 223u);
  ModelMaker undeclared = resize(by_seven_tenths);
  undeclared.output("y");
  EXPECT_EQ(undeclared.run({{"x", counted({ir::DType::f32, {10}})}}).shape(), (ir::Shape{7}));
}

TEST(OnnxResize, OfARegionHasItsSizesUnlessTheFileDeclaresOthers) {
  const Resizing half{.x = {4},
                      .words = {{"coordinate_transformation_mode", "tf_crop_and_resize"}, {"mode", "linear"}},
                      .scales = {1},
                      .roi = {0.5, 1}};
  EXPECT_THAT(answer(resize(half), {4}, {2}), ElementsAre(1.5, 3));
  EXPECT_THAT(answer(resize(half), {4}, {4}), ElementsAre(1.5, 2, 2.5, 3));
}

TEST(OnnxResize, BeforeOpset11TakesTheElementBehindWhereItShrinks) {
  // The test of ONNX 1.5; along the first axis it grows.
  const Resizing both{.opset = 10, .x = {2, 4}, .scales = {1.5, 0.6f}};
  EXPECT_THAT(answer(resize(both), {2, 4}, {3, 2}), ElementsAre(0, 2, 0, 2, 4, 6));
}

TEST(OnnxResize, KeepsARatioInWholeNumbers) {
  // 6/20 of 15 is 4.5, half up 5; of 20 its ties are exact.
  const std::vector<std::pair<std::string, std::string>> words = {{"keep_aspect_ratio_policy", "not_larger"},
                                                                  {"nearest_mode", "round_prefer_ceil"}};
  ModelMaker maker = resize({.opset = 18, .x = {20, 15}, .words = words, .sizes = {6, 15}});
  declare(maker, {6, 5});
  const ir::Tensor y = maker.run({{"x", counted({ir::DType::f32, {20, 15}})}});
  ASSERT_EQ(y.shape(), (ir::Shape{6, 5}));
  std::vector<double> rows, columns;
  for (std::size_t i = 0; i < 6; ++i) rows.push_back(std::floor(numbers(y)[5 * i] / 15));
  for (std::size_t i = 0; i < 5; ++i) columns.push_back(std::fmod(numbers(y)[i], 15));
  EXPECT_THAT(rows, ElementsAre(1, 5, 8, 11, 15, 18));
  EXPECT_THAT(columns, ElementsAre(1, 5, 8, 11, 14));  // 14.5 is beyond the last
}

TEST(OnnxResize, ByScalesHasAPolicyThatSaysNothing) {
  for (const char* const policy : {"stretch", "not_larger"}) {
    const Resizing twice{
        .opset = 18, .x = {2}, .words = {{"keep_aspect_ratio_policy", policy}, {"mode", "linear"}}, .scales = {2}};
    EXPECT_THAT(answer(resize(twice), {2}, {4}), ElementsAre(0, 0.25, 0.75, 1));
  }
}

TEST(OnnxResize, OfWholeNumbersCutsOff) {
  ModelMaker maker(13);
  maker.input("x", {4}, ::onnx::TensorProto::UINT8).initializer("scales", {1}, {0.75f});
  set_text(maker.node("Resize", {"x", "", "scales"}, {"y"}), "mode", "linear");
  declare(maker, {3}, ::onnx::TensorProto::UINT8);
  const ir::Tensor y = maker.run({{"x", counted({ir::DType::u8, {4}})}});
  EXPECT_EQ(y.dtype(), ir::DType::u8);
  EXPECT_THAT(numbers(y), ElementsAre(0, 1, 2));  // Weights give 1/6, 3/2 and 17/6.
}

TEST(OnnxOutput, OfAnotherShapeThanDeclaredIsNoted) {
  ModelMaker maker = resize({.x = {10}, .sizes = {5}});
  declare(maker, {6});
  EXPECT_THAT(maker.read().notes,
              ElementsAre(HasSubstr("output 'y' is declared as f32[6], what computes it makes f32[5]")));
}

TEST(OnnxPool, WithoutPadsHangsOverUnlessTheFileDeclaresFewer) {
  for (const std::int64_t declared : {1, 2}) {
    ModelMaker maker(17);
    maker.input("x", {1, 1, 4});
    auto& node = maker.node("MaxPool", {"x"}, {"y"});
    set_text(node, "auto_pad", "VALID");
    set_int(node, "ceil_mode", 1);
    set_ints(node, "kernel_shape", {3});
    set_ints(node, "strides", {2});
    EXPECT_EQ(answer(maker, {1, 1, 4}, {1, 1, declared}).size(), static_cast<std::size_t>(declared));
  }
}

TEST(OnnxPool, TakesPadsBeyondTheKernel) {
  ModelMaker maker(11);
  maker.input("x", {1, 1, 3});
  auto& node = maker.node("AveragePool", {"x"}, {"y"});
  set_ints(node, "kernel_shape", {2});
  set_ints(node, "pads", {2, 3});
  set_int(node, "count_include_pad", 1);
  EXPECT_THAT(answer(maker, {1, 1, 3}, {1, 1, 7}), ElementsAre(0, 0, 0.5, 1.5, 1, 0, 0));
}

TEST(OnnxRange, CountsAsRuntimesDoUnlessTheFileDeclaresTheExactCount) {
  // 1.1f − 0.1f is 1.00000002, which is 1 in f32, and 0.1f is 0.100000001.
  for (const std::int64_t declared : {0, 10, 11}) {
    ModelMaker maker(13);
    maker.initializer("start", {}, {0.1f}).initializer("limit", {}, {1.1f}).initializer("delta", {}, {0.1f});
    maker.node("Range", {"start", "limit", "delta"}, {"y"});
    declare(maker, {declared});
    EXPECT_EQ(maker.run({}).elements(), declared == 11 ? 11 : 10);
  }
}

TEST(OnnxRange, OfIntegersThatNoDoubleHolds) {
  constexpr std::int64_t first = (std::int64_t{1} << 53) + 1;
  ModelMaker maker(13);
  const std::map<std::string, std::int64_t> numbers = {{"start", first}, {"limit", first + 5}, {"delta", 2}};
  for (const auto& [name, value] : numbers) {
    maker.initializer(name, std::vector<std::int64_t>{value});
    maker.graph().mutable_initializer(maker.graph().initializer_size() - 1)->clear_dims();
  }
  maker.node("Range", {"start", "limit", "delta"}, {"y"});
  declare(maker, {3}, ::onnx::TensorProto::INT64);
  const ir::Tensor y = maker.run({});
  EXPECT_THAT(std::vector(y.as<std::int64_t>().begin(), y.as<std::int64_t>().end()),
              ElementsAre(first, first + 2, first + 4));
}

TEST(OnnxMelWeightMatrix, HasItsEdgesOnTheirBins) {
  // 1000 Hz of 16000 are bin 64 of 1024, 125 Hz bin 8, whatever logarithms there and back make of them.
  for (int hertz = 125; hertz <= 4000; hertz += 125) {
    ModelMaker maker(17);
    const auto whole = [&](const std::string& name, std::int64_t value) {
      maker.initializer(name, std::vector<std::int64_t>{value});
      maker.graph().mutable_initializer(maker.graph().initializer_size() - 1)->clear_dims();
    };
    whole("bands", 4);
    whole("length", 1023);
    whole("rate", 16000);
    maker.initializer("low", {}, {static_cast<float>(hertz)}).initializer("high", {}, {8000});
    maker.node("MelWeightMatrix", {"bands", "length", "rate", "low", "high"}, {"y"});
    declare(maker, {512, 4});
    const std::vector<double> weights = numbers(maker.run({}));
    const auto bin = static_cast<std::size_t>(1024 * hertz / 16000);
    EXPECT_EQ(weights[4 * bin], 0) << hertz;  // where the first band begins to rise
    EXPECT_GT(weights[4 * (bin + 1)], 0) << hertz;
  }
}

TEST(OnnxAttribute, DefaultsAreF32) {
  // Doubles, too, have the f32 next to 0.0001 for alpha.
  ModelMaker maker(13);
  maker.input("x", {1, 1, 1}, ::onnx::TensorProto::DOUBLE);
  set_int(maker.node("LRN", {"x"}, {"y"}), "size", 1);
  declare(maker, {1, 1, 1}, ::onnx::TensorProto::DOUBLE);
  const ir::Tensor y = maker.run({{"x", ir::Tensor::of<double>({1, 1, 1}, {1e3})}});
  EXPECT_NEAR(y.as<double>()[0], 1e3 / std::pow(1 + static_cast<double>(1e-4f) * 1e6, 0.75), 1e-10);
}

}  // namespace
}  // namespace plumb::tests::extents_test
