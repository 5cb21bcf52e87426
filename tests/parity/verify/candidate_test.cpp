// A candidate that does not give what it was asked for fails, and is told what it gave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/odd_floats.hpp"

namespace plumb::parity::candidate_test {
namespace {

using ir::DType;
using ir::Tensor;

/// An executor that gives what a function makes of the only result.
class Giver final : public ir::Executor {
 public:
  using Give = std::function<ir::Tensors(ir::Value result, Tensor right)>;
  explicit Giver(Give give) : give_(std::move(give)) {}

  std::string_view name() const override { return "mine"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds&, const ir::Capture&) override {
    return std::make_unique<Program>(graph, give_);
  }

 private:
  class Program final : public ir::Executable {
   public:
    Program(const ir::Graph& graph, Give give) : graph_(graph), give_(std::move(give)) {}
    std::vector<ir::NodeReport> nodes() const override {
      ir::NodeReport report;
      report.placement = ir::Placement::gpu;
      report.kernel = "mine";
      return {report};
    }

   private:
    ir::Tensors run(const ir::Feeds& feeds) override {
      ref_cpu::CpuExecutor cpu;
      const ir::Value y = graph_.results().front();
      return give_(y, cpu.run(graph_, feeds, {y}).at(y));
    }

    ir::Graph graph_;
    Give give_;
  };

  Give give_;
};

cases::CaseResult judged(const Giver::Give& give) {
  Giver mine(give);
  ref_cpu::CpuExecutor cpu;
  cases::Observer nobody;
  const auto subject = testing::make_case(R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[8, 10]"}},
    "nodes": [{"label": "y", "op": "softmax", "inputs": ["x"], "axis": -1}], "results": ["y"]})");
  return verify::verify(subject, {.reference = cpu, .candidate = &mine}, {}, nobody);
}

TEST(Candidate, GivesWhatItWasAskedFor) {
  EXPECT_EQ(judged([](ir::Value y, const Tensor& right) {
              return ir::Tensors{{y, right}};
            }).verdict,
            core::Verdict::passed);
  const auto why = [](const Giver::Give& give) {
    const auto result = judged(give);
    EXPECT_EQ(result.verdict, core::Verdict::failed);
    EXPECT_EQ(result.exit, core::ExitCode::failed);
    return result.message;
  };
  EXPECT_EQ(why([](ir::Value y, const Tensor&) {
              return ir::Tensors{{y, Tensor({DType::f32, {10, 8}})}};
            }),
            "candidate 'mine': y is f32[10, 8], the graph says f32[8, 10]");
  EXPECT_EQ(why([](ir::Value y, const Tensor&) {
              return ir::Tensors{{y, Tensor({DType::f16, {8, 10}})}};
            }),
            "candidate 'mine': y is f16[8, 10], the graph says f32[8, 10]");
  EXPECT_EQ(why([](ir::Value, const Tensor&) { return ir::Tensors(); }), "candidate 'mine': it gave nothing for y");
  EXPECT_EQ(why([](ir::Value, const Tensor& right) {
              return ir::Tensors{{17, right}};
            }),
            "candidate 'mine': it gave a value that the graph does not have, number 17");
}

TEST(Candidate, ComputesInTheCallersFloatEnvironmentAndIsJudgedInTheUsualOne) {
  const auto give = [](bool& was_odd) {
    return [&was_odd](ir::Value y, const Tensor& right) {
      was_odd = tests::has_odd_floats();
      return ir::Tensors{{y, right}};
    };
  };
  bool was_odd = true;
  const auto usual = judged(give(was_odd));
  EXPECT_FALSE(was_odd);
  const tests::OddFloats odd;
  const auto here = judged(give(was_odd));
  EXPECT_TRUE(was_odd);
  EXPECT_TRUE(tests::has_odd_floats());
  EXPECT_EQ(here.verdict, core::Verdict::passed);
  ASSERT_EQ(here.nodes.size(), 1u);
  EXPECT_GT(here.nodes[0].local.ratio(), 0);
  EXPECT_EQ(here.nodes[0].local.ratio(), usual.nodes.at(0).local.ratio());
  EXPECT_EQ(here.nodes[0].local.max_abs.value, usual.nodes[0].local.max_abs.value);
}

}  // namespace
}  // namespace plumb::parity::candidate_test
