// A fault in a helper of ir is in the truth and in a device that uses it alike: only the oracles can find it
// (verdict.md V58).
#include <gtest/gtest.h>

#include "library/reference.hpp"
#include "parity/verify/verify.hpp"
#include "tests/seams/seams.hpp"

namespace plumb::seams::shared_helpers_test {
namespace {

using parity::core::Verdict;

std::string with_node(const std::string& inputs, const std::string& node) {
  return R"({"format": "plumb.graph/1", "why": "asks for one helper", "inputs": {)" + inputs +
         R"(}, "nodes": [{"label": "y", )" + node + R"(}], "results": ["y"]})";
}

parity::cases::CaseResult verified(const std::string& text) {
  const auto file = std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(text, "."));
  const parity::cases::Case subject{
      .name = "seam.json", .file = file, .feeds = ir::formats::materialise(*file, 1), .seed = 1};
  ref_cpu::CpuExecutor reference = library::reference_executor(), candidate;
  parity::cases::Observer nobody;
  return parity::verify::verify(subject, {.reference = reference, .candidate = &candidate}, {}, nobody);
}

class SharedHelper : public ::testing::TestWithParam<std::array<const char*, 3>> {};

TEST_P(SharedHelper, AFaultOfItIsFound) {
  const auto [helper, inputs, attributes] = GetParam();
  const std::string graph = with_node(inputs, attributes);
  const auto honest = verified(graph);
  ASSERT_EQ(honest.nodes.size(), 1u);
  EXPECT_NE(honest.nodes[0].verdict, Verdict::error) << honest.nodes[0].why;
  EXPECT_GT(honest.nodes[0].oracle.asked, 0u);
  const Fault fault(helper);
  const auto result = verified(graph);
  ASSERT_EQ(result.nodes.size(), 1u) << result.message;
  EXPECT_GT(fault.uses(), 0) << "nobody asked for the helper";
  EXPECT_EQ(result.nodes[0].verdict, Verdict::error);
  EXPECT_TRUE(result.nodes[0].why.starts_with("the truth of ")) << result.nodes[0].why;
  EXPECT_EQ(result.exit, parity::core::ExitCode::tool_error);
}

constexpr auto matrix = R"("x": {"type": "f32[4, 4]"})";

INSTANTIATE_TEST_SUITE_P(
    Oracles, SharedHelper,
    ::testing::Values(
        std::array{"broadcast_loops", R"("x": {"type": "f32[4, 4]"}, "b": {"type": "f32[4]"})",
                   R"("op": "binary", "function": "add", "inputs": ["x", "b"])"},
        std::array{"broadcast_strides", R"("x": {"type": "f32[4, 1]"})",
                   R"("op": "expand", "inputs": ["x"], "shape": [4, 3])"},
        std::array{"resize_taps", matrix,
                   R"("op": "resize", "inputs": ["x"], "axes": [1], "sizes": [7], "mode": "linear")"},
        std::array{"read_strided", matrix, R"("op": "transpose", "inputs": ["x"], "permutation": [1, 0])"},
        std::array{"write_part", R"("x": {"type": "f32[4, 4]"}, "b": {"type": "f32[4, 4]"})",
                   R"("op": "concat", "inputs": ["x", "b"], "axis": 0)"},
        std::array{"run_at", matrix, R"("op": "pad", "inputs": ["x"], "pads": [1, 2, 0, 1], "mode": "reflect")"},
        std::array{"windows", R"("x": {"type": "f32[1, 1, 9]"}, "w": {"type": "f32[2, 1, 3]"})",
                   R"("op": "conv", "inputs": ["x", "w"], "pads": [2, 0])"},
        std::array{"taps_within", R"("x": {"type": "f32[1, 1, 9]"})",
                   R"("op": "pool", "inputs": ["x"], "function": "average", "kernel_shape": [3])"},
        std::array{"positions_inside", R"("x": {"type": "f32[1, 1, 9]"}, "w": {"type": "f32[2, 1, 3]"})",
                   R"("op": "conv", "inputs": ["x", "w"], "pads": [1, 1])"},
        std::array{"plan_einsum", R"("x": {"type": "f32[4, 4]"}, "b": {"type": "f32[4, 4]"})",
                   R"("op": "einsum", "inputs": ["x", "b"], "equation": "ij,jk->ik")"},
        std::array{"dense", R"("x": {"type": "f32[3, 3, 3]"}, "b": {"type": "f32[3, 3, 3]"})",
                   R"("op": "einsum", "inputs": ["x", "b"], "equation": "bij,bjk->ibk")"},
        std::array{"arranged", R"("x": {"type": "f32[3, 3, 3]"}, "b": {"type": "f32[3, 3, 3]"})",
                   R"("op": "einsum", "inputs": ["x", "b"], "equation": "ibj,jkb->bik")"},
        std::array{"labelled_add", R"("x": {"type": "f32[4, 4]"}, "b": {"type": "f32[4, 4]"})",
                   R"("op": "dot_general", "inputs": ["x", "b"], "a_batch": [], "b_batch": [],
                      "a_contract": [1], "b_contract": [0])"},
        std::array{"along", matrix, R"("op": "softmax", "inputs": ["x"])"},
        std::array{"lines_from", matrix, R"("op": "rms_norm", "inputs": ["x"], "has_scale": false)"},
        std::array{"convert", R"("x": {"type": "f16[4]", "values": [1e-6, 2e-6, 1, 2]})",
                   R"("op": "unary", "function": "negate", "inputs": ["x"])"},
        std::array{"range_values", R"("x": {"type": "f32[1]"})",
                   R"("op": "range", "inputs": [], "dtype": "i32", "start": 3, "delta": 2, "count": 9)"}),
    [](const auto& test) { return std::string(test.param[0]); });

}  // namespace
}  // namespace plumb::seams::shared_helpers_test
