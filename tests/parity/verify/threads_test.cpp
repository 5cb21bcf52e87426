// The report of a case does not depend on the number of threads, nor does the order of its parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/core/parallel.hpp"
#include "parity/report/report.hpp"
#include "parity/verify/shares.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::threads_test {
namespace {

using ::testing::HasSubstr;

/// Notes what it is told, in order.
class Told final : public cases::Observer {
 public:
  std::vector<std::string> lines;

  void step(std::string_view what, std::size_t done, std::size_t steps) override {
    lines.push_back(ir::cat("step ", what, ' ', done, '/', steps));
  }
  void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override {
    lines.push_back(ir::cat("compared ", result.name(), ' ', truth.shape(), ' ', got.dtype()));
  }
};

struct Said {
  std::string report;
  std::vector<std::string> told;
};

/// Everything that is said of a case but for how long it took.
Said said_of(testing::Suspect& suspect, const cases::Case& subject, const verify::VerifyOptions& options, int threads) {
  const core::ThreadLimit limit(threads);
  Told told;
  cases::CaseResult result = testing::verify_on(suspect, subject, options, told);
  result.wall_seconds = 0;
  for (cases::NodeResult& node : result.nodes) node.reference_ns.reset();
  return {report::to_json({&result, 1}), std::move(told.lines)};
}

void expect_equal_on_any_number(testing::Suspect& suspect, const cases::Case& subject,
                                const verify::VerifyOptions& options = {}) {
  const Said alone = said_of(suspect, subject, options, 1);
  EXPECT_FALSE(alone.told.empty());
  for (const int threads : {2, 7}) {
    const Said several = said_of(suspect, subject, options, threads);
    EXPECT_EQ(several.report, alone.report) << threads;
    EXPECT_EQ(several.told, alone.told) << threads;
  }
}

cases::Case tiny_encoder() { return verify::load_case(tests::source_dir() / "fixtures/graphs/bert_tiny.json", {}); }

TEST(Threads, ChangeNothingOfAnHonestRun) {
  testing::Suspect honest;
  expect_equal_on_any_number(honest, tiny_encoder());
}

TEST(Threads, ChangeNothingOfFailuresNansAndFusedNodes) {
  testing::Suspect suspect;
  std::size_t count = 0;
  const cases::Case subject = tiny_encoder();
  for (const ir::Node& node : subject.file->graph.nodes())
    if (count++ % 5 == 2) suspect.fused.insert(node.label);
  suspect.tamper = [](const ir::Node& node, ir::Tensor& y) {
    if (y.dtype() != ir::DType::f32) return;
    if (node.op.name() == "softmax" || node.op.name() == "attention") y.as<float>()[3] += 1e-3F;
    if (node.op.name() == "layer_norm") y.as<float>()[5] = NAN;
  };
  expect_equal_on_any_number(suspect, subject);
  const std::string report = said_of(suspect, subject, {}, 7).report;
  EXPECT_THAT(report, HasSubstr("first NaN: node"));
  EXPECT_THAT(report, HasSubstr("\"fused\""));
}

TEST(Threads, ChangeNothingOfARefusal) {
  // The reference refuses the index, which the candidate took: the nodes behind it are not judged, though some of them
  // may have been looked at already.
  cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1", "why": "an index out of range",
    "inputs": {"x": {"type": "f32[8, 16]"}, "i": {"type": "i32[4]", "values": [0, 1, 2, 3]}},
    "nodes": [{"label": "before", "op": "unary", "inputs": ["x"], "function": "exp"},
              {"label": "picked", "op": "gather", "inputs": ["x", "i"], "axis": 0},
              {"label": "after", "op": "unary", "inputs": ["x"], "function": "tanh"}],
    "results": ["before", "picked", "after"]})");
  testing::Suspect suspect;
  suspect.misread = [](const ir::Node& node, std::size_t operand, ir::Tensor& x) {
    if (node.label == "picked" && operand == 1) x.as<std::int32_t>()[2] = 2;
  };
  subject.feeds.at("i").as<std::int32_t>()[2] = 100;
  expect_equal_on_any_number(suspect, subject);
  const std::string report = said_of(suspect, subject, {}, 7).report;
  EXPECT_THAT(report, HasSubstr("the candidate ran what the reference refuses"));
  EXPECT_THAT(report, HasSubstr("the reference stopped at 'picked'"));
}

TEST(Threads, ChangeNothingOfIsolatedNodes) {
  testing::Suspect honest;
  expect_equal_on_any_number(honest, tiny_encoder(), {.mode = core::Mode::isolate});
}

TEST(Shares, AreThoseOfWorkAndMemory) {
  const core::ThreadLimit eight(8);
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1", "why": "one product is most of it",
    "inputs": {"x": {"type": "f32[256, 512]"}},
    "params": {"w": {"type": "f32[512, 512]"}},
    "nodes": [{"label": "large", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "small", "op": "unary", "inputs": ["large"], "function": "negate"}],
    "results": ["small"]})");
  const ir::Graph& graph = subject.file->graph;
  std::vector<core::Segment> segments;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) segments.push_back(core::segment_of(graph, n));
  const verify::Shares shares(graph, [&](std::size_t n) -> const core::Segment& { return segments[n]; });
  EXPECT_GE(shares.threads(0), 4);
  EXPECT_LE(shares.threads(1), 4);
  EXPECT_GT(shares.bytes(0), 8.0 * (256 * 512 + 512 * 512 + 256 * 512));
  EXPECT_LE(shares.bytes(0) + shares.bytes(1), shares.most_bytes());  // small enough to be held at once
}

}  // namespace
}  // namespace plumb::parity::threads_test
