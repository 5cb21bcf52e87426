// A candidate that computes otherwise when nobody asks for its inner values: what a watched run alone would not see.

#include <gmock/gmock.h>

#include <functional>

#include "tests/parity/small_case.hpp"

namespace plumb::plain_run_test {
namespace {

using parity::cases::Plain;
using parity::core::Verdict;
using ::testing::HasSubstr;

/// How a graph was compiled.
enum class Watch { all, results, copies };
Watch watch_of(const ir::Capture& capture) {
  if (!capture.surviving) return Watch::results;
  return capture.as_plain ? Watch::copies : Watch::all;
}

/// The CPU, with something done to what it hands back: to `spoil` goes how it was compiled and its how manieth run it
/// is.
class TwoFaced final : public ir::Executor {
 public:
  using Spoil = std::function<void(Watch, int run, const ir::Graph&, ir::Tensors&)>;
  explicit TwoFaced(Spoil spoil) : spoil_(std::move(spoil)) {}

  std::string_view name() const override { return "two-faced"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    return std::make_unique<Program>(*this, graph, params, capture);
  }

 private:
  class Program final : public ir::Executable {
   public:
    Program(TwoFaced& of, const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture)
        : of_(of), graph_(graph), watch_(watch_of(capture)), honest_(of.cpu_.compile(graph, params, capture)) {}
    ir::Tensors run(const ir::Feeds& inputs) override {
      ir::Tensors values = honest_->run(inputs);
      of_.spoil_(watch_, runs_++, graph_, values);
      return values;
    }
    std::vector<ir::NodeReport> nodes() const override {
      std::vector<ir::NodeReport> reports = honest_->nodes();
      for (ir::NodeReport& report : reports) {
        report.placement = ir::Placement::gpu;
        report.kernel = watch_ == Watch::all ? "watched" : "plain";
      }
      return reports;
    }

   private:
    TwoFaced& of_;
    const ir::Graph& graph_;
    const Watch watch_;
    const std::unique_ptr<ir::Executable> honest_;
    int runs_ = 0;
  };

  ref_cpu::CpuExecutor cpu_;
  const Spoil spoil_;
};

/// Multiplies an element of the value called `name`, where it was asked for.
void scale(const ir::Graph& graph, ir::Tensors& values, std::string_view name, float factor) {
  const auto value = graph.find(name);
  if (value && values.contains(*value)) values.at(*value).as<float>()[1] *= factor;
}

parity::cases::CaseResult verified(const TwoFaced::Spoil& spoil) {
  static const auto subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[7, 5]"}}, "params": {"w": {"type": "f32[5, 11]"}},
    "nodes": [{"label": "scores", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "weights", "op": "softmax", "inputs": ["scores"], "axis": -1}],
    "results": ["weights"]})");
  ref_cpu::CpuExecutor reference;
  TwoFaced candidate(spoil);
  parity::cases::Observer nobody;
  return parity::verify::verify(subject, {.reference = reference, .candidate = &candidate}, {.plain = true}, nobody);
}

TEST(PlainRun, EqualBitsSayThatWhatShipsWasVerified) {
  const auto result = verified([](Watch, int, const ir::Graph&, ir::Tensors&) {});
  EXPECT_EQ(result.verdict, Verdict::passed);
  EXPECT_EQ(result.plain.plain, Plain::equal);
  ASSERT_EQ(result.plain.kernels.size(), 2u) << "both nodes run in another kernel";
  EXPECT_EQ(result.plain.kernels[0].node, "scores");
  EXPECT_EQ(result.plain.kernels[0].plain, "plain ");
  EXPECT_EQ(result.nodes.size(), 2u);
}

TEST(PlainRun, OtherBitsWithinTheLimitsAreJudgedAndPass) {
  const auto result = verified([](Watch watch, int, const ir::Graph& graph, ir::Tensors& values) {
    if (watch != Watch::all) scale(graph, values, "weights", 1 + 0x1p-23f);
  });
  EXPECT_EQ(result.plain.plain, Plain::tapped);
  EXPECT_THAT(result.plain.why, HasSubstr("1 of 77 elements of 'weights', the first 1"));
  EXPECT_EQ(result.verdict, Verdict::passed);
  EXPECT_EQ(std::ranges::count(result.nodes, true, &parity::cases::NodeResult::is_of_plain_run), 2);
}

TEST(PlainRun, AWrongPlainRunFailsAtItsNode) {
  const auto result = verified([](Watch watch, int, const ir::Graph& graph, ir::Tensors& values) {
    if (watch != Watch::all) scale(graph, values, "weights", 1.01f);
  });
  EXPECT_EQ(result.plain.plain, Plain::tapped);
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_EQ(result.exit, parity::core::ExitCode::failed);
  for (const auto& node : result.nodes)
    EXPECT_EQ(node.verdict == Verdict::failed, node.is_of_plain_run && node.label == "weights") << node.label;
}

TEST(PlainRun, BitsThatComeAndGoAreFound) {
  const auto result = verified([](Watch watch, int run, const ir::Graph& graph, ir::Tensors& values) {
    if (watch == Watch::results && run == 2) scale(graph, values, "weights", 1 + 0x1p-23f);
  });
  EXPECT_EQ(result.plain.plain, Plain::nondeterministic);
  EXPECT_EQ(result.verdict, Verdict::nondeterministic);
  EXPECT_THAT(result.message, HasSubstr("two runs of it differ in 1 of 77 elements of 'weights'"));
  EXPECT_EQ(result.exit, parity::core::ExitCode::failed);
}

/// As where two values share memory that they must not share, and a copy of one of them keeps them apart.
TEST(PlainRun, AnAliasedSlotIsFound) {
  const auto result = verified([](Watch watch, int, const ir::Graph& graph, ir::Tensors& values) {
    if (watch == Watch::results) scale(graph, values, "weights", 1.5f);
  });
  EXPECT_EQ(result.plain.plain, Plain::nondeterministic);
  EXPECT_EQ(result.verdict, Verdict::nondeterministic);
  EXPECT_THAT(result.message, HasSubstr("its results change when its values are copied"));
}

/// As where a barrier is missing, and a kernel reads what the run before left behind.
TEST(PlainRun, WhatTheRunBeforeLeftBehindIsFound) {
  std::optional<ir::Tensors> before;
  const auto result = verified([&](Watch watch, int, const ir::Graph&, ir::Tensors& values) {
    if (watch != Watch::results) return;
    ir::Tensors honest = values;
    if (before) values = *before;
    before = std::move(honest);
  });
  EXPECT_EQ(result.plain.plain, Plain::nondeterministic);
  EXPECT_EQ(result.verdict, Verdict::nondeterministic);
}

}  // namespace
}  // namespace plumb::plain_run_test
