// Several candidates share a case: it is read once, and its truth is computed for the first of them.
#include "parity/verify/shared_case.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "parity/core/handed_on.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::shared_case_test {
namespace {

using testing::labels_with;
using testing::node;
using testing::spoiler;
using testing::Suspect;

constexpr auto chain = R"({"format": "plumb.graph/1", "why": "a value that two of three nodes hang on",
  "inputs": {"x": {"type": "f32[3, 5]"}},
  "params": {"w": {"type": "f32[5, 4]"}},
  "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "n", "op": "unary", "inputs": ["h"], "function": "tanh"},
            {"label": "p", "op": "softmax", "inputs": ["n"], "axis": -1}],
  "results": ["p"]})";

/// The reference, with the number of graphs that it was asked to compute.
class CountedReference final : public core::HandedOn {
 public:
  using HandedOn::HandedOn;
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    ++count;
    return HandedOn::compile(graph, params, capture);
  }
  std::atomic<int> count = 0;
};

TEST(SharedCase, ItsTruthIsComputedForTheFirstCandidateAlone) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "shared_case.json";
  std::ofstream(path) << chain;
  ref_cpu::CpuExecutor cpu;
  CountedReference reference(cpu);
  cases::Observer nobody;
  const auto judge = [&](Suspect& suspect, std::optional<ir::DType> dtype, std::shared_ptr<verify::SharedCase> shared) {
    reference.count = 0;
    return verify::verify_file(path, {.dtype = dtype}, {.reference = reference, .candidate = &suspect}, {}, nobody,
                               std::move(shared));
  };
  Suspect honest;
  auto wrong = spoiler("h", [](ir::Tensor& y) { y.bytes()[y.bytes().size() - 1] ^= std::byte{0x08}; });
  // Behind h, the truths of n and p are of other operands than the candidate's; in f16 those of the graph as it was
  // are computed as well, of all three.
  for (const auto& [dtype, saved] : {std::pair(std::optional<ir::DType>(), 2), {std::optional(ir::DType::f16), 5}}) {
    const cases::CaseResult alone = judge(wrong, dtype, nullptr);
    const int by_itself = reference.count;
    const auto shared = std::make_shared<verify::SharedCase>();
    EXPECT_EQ(judge(honest, dtype, shared).verdict, core::Verdict::passed);
    std::filesystem::resize_file(path, 0);  // nobody reads it again
    const cases::CaseResult second = judge(wrong, dtype, shared);
    std::ofstream(path) << chain;
    EXPECT_EQ(reference.count + saved, by_itself);
    EXPECT_EQ(labels_with(second, core::Verdict::failed), std::vector<std::string>{"h"}) << second.message;
    ASSERT_EQ(second.nodes.size(), alone.nodes.size());
    for (std::size_t n = 0; n < alone.nodes.size(); ++n) {
      EXPECT_EQ(second.nodes[n].total.rel_l2, alone.nodes[n].total.rel_l2);
      EXPECT_EQ(second.nodes[n].inherited.rel_l2, alone.nodes[n].inherited.rel_l2);
      EXPECT_EQ(second.nodes[n].converted.has_value(), alone.nodes[n].converted.has_value());
    }
  }
}

/// Codes that a candidate chose as the truth did make no truth behind them its own.
TEST(SharedCase, TruthsBehindDecisionsAreSharedWhereNoneDiffers) {
  constexpr auto coded = R"({"format": "plumb.graph/1", "why": "a quantiser in the middle",
    "inputs": {"x": {"type": "f32[3, 5]"}},
    "params": {"w": {"type": "f32[5, 4]"}, "scale": {"type": "f32[]", "values": [0.1]}},
    "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "codes", "op": "quantize_linear", "inputs": ["h", "scale"]},
              {"label": "numbers", "op": "dequantize_linear", "inputs": ["codes", "scale"]},
              {"label": "n", "op": "unary", "inputs": ["numbers"], "function": "tanh"}],
    "results": ["n"]})";
  const auto path = std::filesystem::path(::testing::TempDir()) / "coded_case.json";
  std::ofstream(path) << coded;
  ref_cpu::CpuExecutor cpu;
  CountedReference reference(cpu);
  cases::Observer nobody;
  const auto shared = std::make_shared<verify::SharedCase>();
  const auto judge = [&](Suspect& suspect) {
    reference.count = 0;
    return verify::verify_file(path, {}, {.reference = reference, .candidate = &suspect}, {}, nobody, shared);
  };
  Suspect honest;
  const cases::CaseResult first = judge(honest);
  const int by_itself = reference.count;
  EXPECT_EQ(node(first, "codes").units.decisions.free, 0u);
  EXPECT_EQ(judge(honest).verdict, first.verdict);
  EXPECT_LT(reference.count, by_itself) << "what is behind h, which is rounded, is evaluated for the first alone";
}

TEST(SharedCase, KeepsNoMoreTruthsThanThereIsRoomFor) {
  verify::KeptTruths kept(40);
  const ir::Tensor truth({ir::DType::f64, {4}});
  kept.keep(7, truth);
  kept.keep(8, truth);
  EXPECT_NE(kept.find(7), nullptr);
  EXPECT_EQ(kept.find(8), nullptr);
}

}  // namespace
}  // namespace plumb::parity::shared_case_test
