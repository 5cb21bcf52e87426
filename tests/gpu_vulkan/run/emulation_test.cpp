// The emulator beside the device: convolutions to the bit, attention to what its exponentials leave open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/formats/graph_file.hpp"
#include "parity/profile/probe/products.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::emulation_test {
namespace {

using parity::profile::DeviceProfile;

/// The units by which the device multiplies this dtype, found once.
const DeviceProfile& units_of(ir::DType dtype) {
  static std::map<ir::DType, DeviceProfile> known;
  const auto [at, is_new] = known.try_emplace(dtype);
  if (!is_new) return at->second;
  at->second.name = "units";
  using Shape = parity::profile::probe::ProductShape;
  // By tiles and, since no matrix unit is in these, by the kernels of rows and columns.
  for (const Shape shape : {Shape{16, 16}, {16, 16, true}, {1, 8}, {8, 1}, {1, 5, true}, {5, 1, true}}) {
    auto found = parity::profile::probe::probe_products(*testing::gpu().executor, false, dtype, shape);
    if (found && found->is_known()) at->second.products.push_back(*found);
  }
  return at->second;
}

std::string of_dtype(std::string text, std::string_view dtype) {
  for (std::size_t i = text.find("T["); i != std::string::npos; i = text.find("T[", i + 1))
    if (text[i - 1] == '"') text.replace(i, 1, dtype);
  return text;
}

/// The last node, verified on the device beside its emulator.
parity::cases::NodeResult emulated(const std::string& graph, ir::DType dtype) {
  const auto file = std::make_shared<const ir::formats::GraphFile>(
      ir::formats::parse_graph(of_dtype(graph, ir::info(dtype).name), "."));
  const parity::cases::Case subject{
      .name = "one.json", .file = file, .feeds = ir::formats::materialise(*file, 1), .seed = 1};
  ref_cpu::CpuExecutor reference;
  parity::cases::Observer observer;
  const DeviceProfile& profile = units_of(dtype);
  parity::verify::VerifyOptions options;
  options.emulated = &profile;
  const auto result = parity::verify::verify(
      subject, {.reference = reference, .candidate = testing::gpu().executor, .profile = &profile}, options, observer);
  return result.nodes.back();
}

constexpr ir::DType dtypes[] = {ir::DType::f32, ir::DType::f16, ir::DType::bf16};

std::string convolution(std::string_view x, std::string_view w, std::string_view filters, std::string_view attributes) {
  return ir::cat(R"({"format": "plumb.graph/1", "why": "a convolution by itself", "inputs": {"x": {"type": "T)", x,
                 R"("}}, "params": {"w": {"type": "T)", w, R"("}, "b": {"type": "T[)", filters,
                 R"(]"}}, "nodes": [{"label": "y", "op": "conv", "inputs": ["x", "w", "b"], "has_bias": true)",
                 attributes, R"(}], "results": ["y"]})");
}

TEST(EmulationOnDevice, ConvolutionsAreThoseOfTheirKernels) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const std::string padded = R"(, "pads": [1, 1, 1, 1])";
  const std::string graphs[] = {
      convolution("[2, 19, 13, 11]", "[21, 19, 3, 3]", "21", padded),                      // ragged on all sides
      convolution("[1, 70, 20, 20]", "[32, 70, 3, 3]", "32", padded),                      // by patches: taps first
      convolution("[1, 64, 24, 24]", "[32, 64, 2, 3]", "32", R"(, "dilations": [2, 1])"),  // by patches, dilated
      convolution("[1, 32, 15, 15]", "[24, 32, 3, 3]", "24", R"(, "strides": [2, 2], "pads": [0, 1, 2, 1])"),
      convolution("[2, 24, 9, 9]", "[12, 8, 3, 3]", "12", R"(, "group": 3)"),  // few filters a group
      convolution("[2, 12, 14, 14]", "[24, 1, 5, 5]", "24", R"(, "group": 12, "pads": [2, 2, 2, 2])"),  // depthwise
      convolution("[1, 80, 8, 8]", "[40, 80, 1, 1]", "40", ""),                                         // 1x1
      convolution("[2, 6, 50]", "[5, 6, 7]", "5", ""),
      convolution("[1, 5, 7, 8, 9]", "[16, 5, 3, 3, 3]", "16", R"(, "pads": [1, 1, 1, 1, 1, 1])")};
  for (const ir::DType dtype : dtypes)
    for (const std::string& graph : graphs) {
      const parity::cases::NodeResult y = emulated(graph, dtype);
      EXPECT_EQ(y.emulator_ulp, 0) << dtype << ' ' << y.kernel << ' ' << y.tile << ' ' << graph << y.emulator_pattern;
    }
}

/// The norm is in the filters then, and the rest behind their sum.
TEST(EmulationOnDevice, GoesOnBehindAFoldedNormAResidualAndARelu) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const parity::cases::NodeResult y = emulated(R"({"format": "plumb.graph/1", "why": "a block of a residual network",
    "inputs": {"x": {"type": "f32[1, 16, 12, 12]"}, "r": {"type": "f32[1, 24, 12, 12]"}},
    "params": {"w": {"type": "f32[24, 16, 3, 3]"}, "scale": {"type": "f32[24]"}, "bias": {"type": "f32[24]"},
               "mean": {"type": "f32[24]"},
               "variance": {"type": "f32[24]", "fill": {"distribution": "uniform", "low": 0.5, "high": 2}}},
    "nodes": [{"label": "c", "op": "conv", "inputs": ["x", "w"], "pads": [1, 1, 1, 1]},
              {"label": "n", "op": "batch_norm", "inputs": ["c", "scale", "bias", "mean", "variance"]},
              {"label": "s", "op": "binary", "inputs": ["n", "r"], "function": "add"},
              {"label": "y", "op": "unary", "inputs": ["s"], "function": "relu"}],
    "results": ["y"]})",
                                               ir::DType::f32);
  EXPECT_EQ(y.sums.at(0).epilogue,
            (std::vector<ir::SumStep>{ir::SumStep::bias, ir::SumStep::residual, ir::SumStep::activation}));
  EXPECT_EQ(y.emulator_ulp, 0);
}

std::string attention(std::string_view q, std::string_view kv, std::string_view attributes) {
  return ir::cat(R"({"format": "plumb.graph/1", "why": "attention by itself", "inputs": {"q": {"type": "T)", q,
                 R"("}, "k": {"type": "T)", kv, R"("}, "v": {"type": "T)", kv,
                 R"("}}, "nodes": [{"label": "y", "op": "attention", "inputs": ["q", "k", "v"])", attributes,
                 R"(}], "results": ["y"]})");
}

TEST(EmulationOnDevice, AttentionIsWithinHalfOfItsLimit) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const std::string graphs[] = {attention("[1, 2, 70, 32]", "[1, 2, 150, 32]", ""),
                                attention("[1, 2, 70, 32]", "[1, 1, 70, 32]", R"(, "causal": true)"),
                                attention("[2, 1, 9, 17]", "[2, 1, 40, 17]", R"(, "softcap": 2.0)")};
  for (const ir::DType dtype : dtypes)
    for (const std::string& graph : graphs) {
      const parity::cases::NodeResult y = emulated(graph, dtype);
      ASSERT_TRUE(y.emulator_share) << dtype << ' ' << y.kernel << ' ' << graph;
      EXPECT_LE(*y.emulator_share, 1) << dtype << ' ' << y.kernel << ' ' << graph;
      EXPECT_EQ(y.emulator_ulp, std::nullopt);
      RecordProperty(ir::cat(ir::info(dtype).name, '_', y.kernel, '_', &graph - graphs), ir::cat(*y.emulator_share));
    }
}

}  // namespace
}  // namespace plumb::emulation_test
