#include "parity/checks/exact/twin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/op_list.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "parity/checks/exact/rule.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::checks::exact::twin_test {
namespace {

using ::testing::HasSubstr;
using testing::Suspect;
using testing::verify_on;

cases::Case twin_of(const std::string& path, std::optional<ir::DType> dtype = {}) {
  ref_cpu::CpuExecutor cpu;
  return make_twin(verify::load_case(tests::source_dir() / "fixtures" / path, {.dtype = dtype}), cpu);
}

std::vector<std::string> labels_with(const cases::CaseResult& result, core::Verdict verdict) {
  std::vector<std::string> labels;
  for (const cases::NodeResult& one : result.nodes)
    if (one.verdict == verdict) labels.push_back(one.name());
  return labels;
}

TEST(ExactTwin, CutsWhereNumbersStopBeingExact) {
  ref_cpu::CpuExecutor cpu;
  const cases::Case twin = make_twin(testing::make_case(testing::small_graph), cpu);
  const std::vector<core::Exactness> wanted = {core::Exactness::proved, core::Exactness::impossible,
                                               core::Exactness::proved, core::Exactness::proved,
                                               core::Exactness::proved};
  ASSERT_EQ(twin.proofs.size(), wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n) EXPECT_EQ(twin.proofs[n].exact, wanted[n]) << n;
  EXPECT_THAT(twin.proofs[0].why, HasSubstr("of 24 bits"));
  EXPECT_EQ(twin.proofs[1].why, "exponentials and a division are rounded");
  const ir::Graph& graph = twin.file->graph;
  EXPECT_EQ(graph.inputs().size(), 2u);  // x, and what `turned` reads in place of the softmax
  EXPECT_TRUE(std::ranges::count(graph.results(), *graph.find("scores")));
  Suspect honest;
  const auto result = verify_on(honest, twin);
  EXPECT_EQ(result.verdict, core::Verdict::passed);
  EXPECT_EQ(labels_with(result, core::Verdict::skipped), std::vector<std::string>{"weights"});
  EXPECT_THAT(result.notes.back(), HasSubstr("4 of 5 nodes are proved; 1 is not: exponentials"));
}

TEST(ExactTwin, OneUlpIsTooMuch) {
  ref_cpu::CpuExecutor cpu;
  auto suspect =
      testing::spoiler("scores", [](ir::Tensor& y) { y.as<float>()[4] = std::nextafter(y.as<float>()[4], 99.f); });
  const auto result = verify_on(suspect, make_twin(testing::make_case(testing::small_graph), cpu));
  EXPECT_EQ(labels_with(result, core::Verdict::failed), std::vector<std::string>{"scores"});
  EXPECT_EQ(verify_on(suspect, testing::make_case(testing::small_graph)).verdict,
            core::Verdict::passed);  // by the bound
}

constexpr std::array small_graphs = {"bert_tiny",   "conv_norm_relu",      "encoder_in_primitives",
                                     "llama_block", "gelus_in_primitives", "residual_block",
                                     "vit_block"};

TEST(ExactTwin, OfEveryGraphIsExactOnTheCpu) {
  for (const std::string name : small_graphs)
    for (const auto dtype :
         {std::optional<ir::DType>(), std::optional(ir::DType::f16), std::optional(ir::DType::bf16)}) {
      Suspect honest;
      const auto result = verify_on(honest, twin_of("graphs/" + name + ".json", dtype));
      EXPECT_TRUE(labels_with(result, core::Verdict::failed).empty()) << name;
      std::size_t proved = 0;
      for (const cases::NodeResult& node : result.nodes) {
        if (node.proof.exact != core::Exactness::proved) continue;
        ++proved;
        EXPECT_EQ(node.total.n_bad + node.local.n_bad, 0u) << name << ' ' << node.name() << ' ' << node.why;
      }
      EXPECT_GT(proved, result.nodes.size() / 2) << name;
    }
}

TEST(ExactTwin, OfEveryOpsFixturesIsExactOnTheCpu) {
  std::size_t graphs = 0, proved = 0;
  for (const auto& folder : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/ops")) {
    std::size_t taken = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
      if (file.path().extension() != ".json" || taken++ == 4) continue;
      const auto shown = std::filesystem::relative(file.path(), tests::source_dir() / "fixtures");
      Suspect honest;
      const auto result = verify_on(honest, twin_of(shown.string()));
      EXPECT_TRUE(labels_with(result, core::Verdict::failed).empty())
          << shown << labels_with(result, core::Verdict::failed)[0];
      ++graphs;
      for (const cases::NodeResult& node : result.nodes) proved += node.proof.exact == core::Exactness::proved;
    }
  }
  EXPECT_GT(graphs, 60u);
  EXPECT_GT(proved, graphs / 2);
}

/// The axis that an operand of a sum is summed along.
std::optional<std::size_t> summed_axis(const ir::Op& op, const ir::Shape& x) {
  if (op.is<ir::ops::Matmul>()) return x.size() - (op.as<ir::ops::Matmul>().transpose_a ? 2 : 1);
  if (op.is<ir::ops::Gemm>()) return op.as<ir::ops::Gemm>().transpose_a ? 0 : 1;
  if (op.is<ir::ops::Conv>()) return 1;
  if (op.is<ir::ops::Reduce>() && !op.as<ir::ops::Reduce>().axes.empty())
    return x.axis(op.as<ir::ops::Reduce>().axes[0]);
  return std::nullopt;
}

/// Puts 0 where the position along `axis` is the last.
void drop_last(ir::Tensor& x, std::size_t axis) {
  const std::size_t width = ir::info(x.dtype()).bytes;
  std::size_t inner = width;
  for (std::size_t a = axis + 1; a < x.shape().size(); ++a) inner *= static_cast<std::size_t>(x.shape()[a]);
  const std::size_t line = inner * static_cast<std::size_t>(x.shape()[axis]);
  for (std::size_t at = line; at <= x.bytes().size(); at += line)
    std::ranges::fill(x.bytes().subspan(at - inner, inner), std::byte{0});
}

/// Each element where the one before it belongs.
void shift(ir::Tensor& y) {
  const std::size_t width = ir::info(y.dtype()).bytes;
  const auto bytes = y.bytes();
  std::rotate(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(width), bytes.end());
}

TEST(ExactTwin, AShiftedResultIsCaughtAtEveryProvedNode) {
  std::size_t placements = 0;
  for (const std::string name : small_graphs) {
    const cases::Case twin = twin_of("graphs/" + name + ".json");
    for (std::size_t n = 0; n < twin.proofs.size(); ++n) {
      const std::string label = twin.file->graph.nodes()[n].label;
      bool changed = false;
      auto suspect = testing::spoiler(label, [&](ir::Tensor& y) {
        const ir::Tensor before = y;
        shift(y);
        changed |= !std::ranges::equal(before.bytes(), y.bytes());
      });
      if (twin.proofs[n].exact != core::Exactness::proved) continue;
      const auto result = verify_on(suspect, twin, {.filter = "^" + label + "$"});
      if (!changed) continue;  // a constant
      ++placements;
      const auto failed = labels_with(result, core::Verdict::failed);
      EXPECT_FALSE(failed.empty()) << name << ' ' << label;
    }
  }
  EXPECT_GT(placements, 100u);
}

TEST(ExactTwin, ADroppedTermIsCaughtInEverySum) {
  std::size_t placements = 0;
  for (const std::string name : {"bert_tiny", "conv_norm_relu", "encoder_in_primitives", "residual_block"}) {
    for (const auto dtype : {std::optional<ir::DType>(), std::optional(ir::DType::bf16)}) {
      const cases::Case twin = twin_of("graphs/" + name + ".json", dtype);
      for (std::size_t n = 0; n < twin.proofs.size(); ++n) {
        const ir::Node& node = twin.file->graph.nodes()[n];
        const auto& x = twin.file->graph.type(node.inputs.empty() ? 0 : node.inputs[0]).shape;
        if (twin.proofs[n].exact != core::Exactness::proved || !summed_axis(node.op, x)) continue;
        Suspect suspect;
        suspect.misread = [&](const ir::Node& at, std::size_t operand, ir::Tensor& read) {
          if (at.label == node.label && operand == 0) drop_last(read, *summed_axis(at.op, read.shape()));
        };
        ++placements;
        const auto failed = labels_with(verify_on(suspect, twin), core::Verdict::failed);
        EXPECT_EQ(failed, std::vector<std::string>{node.label}) << name;
      }
    }
  }
  EXPECT_GT(placements, 40u);
}

TEST(ExactTwin, EveryOpHasAnAnswer) {
  for (const ir::OpSchema* schema : ir::all_schemas()) {
    const ir::TensorType some{ir::DType::f32, {1, 1, 2, 2}};
    const auto operands = std::ranges::count(schema->inputs, std::string_view(), &ir::Input::when);
    const ir::TensorTypes in(static_cast<std::size_t>(operands), some), out(1, some);
    if (schema->name == "einsum") continue;  // without an equation it is no op; its fixtures are tested above
    const Rule rule = rule_of(schema->defaults(), in, out);
    EXPECT_NE(rule.arithmetic == Rule::Arithmetic::rounds, rule.why.empty()) << schema->name;
    EXPECT_THAT(rule.why, ::testing::Not(HasSubstr("no rule says"))) << schema->name;
  }
}

}  // namespace
}  // namespace plumb::parity::checks::exact::twin_test
