// Candidates that are not ours: values that they do not show, nodes that they refuse, runs that nobody watches.

#include <gmock/gmock.h>

#include "parity/core/float_format.hpp"
#include "parity/foreign/candidate.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/paths.hpp"

namespace plumb::foreign_test {
namespace {

using parity::cases::Plain;
using parity::core::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Somebody else's executor: a suspect that shows what it does not fuse, and refuses what it is told to.
class Stranger final : public parity::foreign::Candidate {
 public:
  plumb::testing::Suspect suspect;
  std::set<std::string> refuses = {};  ///< labels
  bool is_dump = false;
  bool copies = false;  ///< values out of what it runs for results alone
  parity::foreign::Storage keeps = parity::foreign::Storage::graph;
  int compiled = 0;
  std::function<void(bool is_watched, const ir::Graph&, ir::Tensors&)> spoil = [](bool, const ir::Graph&,
                                                                                  ir::Tensors&) {};

  std::string_view name() const override { return "stranger"; }
  parity::foreign::Description description() const override {
    return {.kind = "exec", .spec = "./stranger", .name = "stranger", .version = "1.2", .device = "cpu"};
  }
  void begins(const parity::cases::Case& subject) override { begun = subject.name; }
  bool computes() const override { return !is_dump; }
  parity::foreign::Storage storage() const override { return keeps; }
  const std::map<ir::Value, parity::foreign::Pairing>& pairing() const override { return pairing_; }
  std::vector<std::string> notes() const override { return {"a note"}; }
  std::string refusal(const ir::Graph&, const ir::Node& node) const override {
    return refuses.contains(node.label) ? "not today" : "";
  }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    if (capture.as_plain && !copies) throw ir::Unsupported("a stranger copies nothing out");
    ++compiled;
    for (const ir::Node& node : graph.nodes())
      for (const ir::Value v : node.outputs) pairing_[v] = parity::foreign::Pairing::exact;
    return std::make_unique<Program>(*this, graph, capture.surviving && !capture.as_plain,
                                     suspect.compile(graph, params, capture));
  }
  std::string begun;

 private:
  class Program final : public ir::Executable {
   public:
    Program(Stranger& of, const ir::Graph& graph, bool is_watched, std::unique_ptr<ir::Executable> program)
        : of_(of), graph_(graph), is_watched_(is_watched), program_(std::move(program)) {}
    ir::Tensors run(const ir::Feeds& inputs) override {
      ir::Tensors values = program_->run(inputs);
      of_.spoil(is_watched_, graph_, values);
      return values;
    }
    std::vector<ir::NodeReport> nodes() const override {
      std::vector<ir::NodeReport> reports(graph_.nodes().size());
      for (ir::NodeReport& report : reports) report.placement = ir::Placement::foreign;
      return reports;
    }

   private:
    Stranger& of_;
    const ir::Graph& graph_;
    const bool is_watched_;
    const std::unique_ptr<ir::Executable> program_;
  };

  std::map<ir::Value, parity::foreign::Pairing> pairing_;
};

parity::cases::CaseResult verified(Stranger& stranger, std::string_view graph = plumb::testing::small_graph,
                                   const parity::verify::VerifyOptions& options = {}) {
  ref_cpu::CpuExecutor reference;
  parity::cases::Observer nobody;
  return parity::verify::verify(plumb::testing::make_case(graph),
                                {.reference = reference, .candidate = &stranger, .foreign = &stranger}, options,
                                nobody);
}

/// Multiplies an element of the value called `name`, where it is among these.
void scale(const ir::Graph& graph, ir::Tensors& values, std::string_view name, float factor) {
  const auto value = graph.find(name);
  if (value && values.contains(*value)) values.at(*value).as<float>()[1] *= factor;
}

TEST(Foreign, IsToldTheCaseAndDescribed) {
  Stranger stranger;
  const auto result = verified(stranger);
  EXPECT_EQ(result.verdict, Verdict::passed) << result.message;
  EXPECT_EQ(result.candidate, "stranger 1.2, cpu");
  EXPECT_THAT(result.notes, ::testing::Contains("a note"));
  const auto& scores = plumb::testing::node(result, "scores");
  EXPECT_EQ(scores.placement, ir::Placement::foreign);
  EXPECT_EQ(scores.paired, parity::cases::Pairing::exact);
  EXPECT_EQ(scores.group, 1u);
  EXPECT_EQ(result.coverage.flops, 1);
}

TEST(Foreign, GroupOfHiddenValuesIsJudgedOnWhatWasFed) {
  Stranger stranger;
  stranger.suspect.fused = {"scores", "turned"};
  auto result = verified(stranger);
  EXPECT_EQ(result.verdict, Verdict::passed) << result.message;
  EXPECT_EQ(plumb::testing::node(result, "weights").group, 2u);
  EXPECT_EQ(plumb::testing::node(result, "scores").verdict, Verdict::skipped);
  EXPECT_THAT(plumb::testing::node(result, "scores").why, HasSubstr("does not show"));
  EXPECT_EQ(result.coverage.flops, 1);

  stranger.spoil = [](bool, const ir::Graph& graph, ir::Tensors& values) { scale(graph, values, "weights", 1.001F); };
  result = verified(stranger);
  EXPECT_EQ(result.verdict, Verdict::failed);
  // Its reader was fed what it was before, and shows other numbers than it is judged on.
  EXPECT_THAT(plumb::testing::labels_with(result, Verdict::failed), ElementsAre("weights", "back"));
}

TEST(Foreign, GroupInHalfPrecisionAllowsForInnerRoundings) {
  constexpr auto chain = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f16[33, 17]"}},
    "params": {"w": {"type": "f16[17, 19]", "fill": {"distribution": "uniform", "low": -0.1, "high": 0.1}}},
    "nodes": [{"label": "scores", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "twice", "op": "binary", "inputs": ["scores", "scores"], "function": "add"},
              {"label": "y", "op": "softmax", "inputs": ["twice"], "axis": -1}], "results": ["y"]})";
  Stranger stranger;
  stranger.suspect.fused = {"scores", "twice"};  // the host stores each in f16
  auto result = verified(stranger, chain);
  EXPECT_EQ(result.verdict, Verdict::passed) << result.message;
  EXPECT_EQ(plumb::testing::node(result, "y").group, 3u);
  stranger.spoil = [](bool, const ir::Graph& graph, ir::Tensors& values) {
    const auto y = graph.find("y");
    if (y && values.contains(*y)) values.at(*y).as<ir::f16>()[3] = ir::f16(0.5F);
  };
  EXPECT_EQ(verified(stranger, chain).verdict, Verdict::failed);
}

/// Stores three values in f16 and computes on with what that leaves of them; `fault` changes a value before that.
Stranger mixed(const std::function<void(const std::string& label, std::span<float> y)>& fault) {
  static const std::set<std::string> stored = {"scores", "weights", "turned"};
  Stranger stranger;
  stranger.keeps = parity::foreign::Storage::observed;
  stranger.suspect.tamper = [fault](const ir::Node& node, ir::Tensor& y) {
    if (!stored.contains(node.label)) return;
    fault(node.label, y.as<float>());
    y = ir::convert(ir::convert(y, ir::DType::f16), ir::DType::f32);
  };
  stranger.spoil = [](bool, const ir::Graph& graph, ir::Tensors& values) {
    for (const std::string& label : stored)
      if (const auto v = graph.find(label); v && values.contains(*v))
        values.at(*v) = ir::convert(values.at(*v), ir::DType::f16);
  };
  return stranger;
}

TEST(Foreign, ValuesAreJudgedAsTheyAreStoredWhereThatIsAskedFor) {
  const auto honest = [](const std::string&, std::span<float>) {};
  Stranger stranger = mixed(honest);
  for (const auto mode : {parity::core::Mode::attribute, parity::core::Mode::isolate, parity::core::Mode::propagate}) {
    const auto result = verified(stranger, plumb::testing::small_graph, {.mode = mode});
    EXPECT_EQ(result.verdict, Verdict::passed) << result.message;
    EXPECT_THAT(result.notes, ::testing::Contains("judged as stored: 3 values in f16"));
    const auto& weights = plumb::testing::node(result, "weights");
    EXPECT_EQ(std::pair(weights.type.dtype, weights.group), std::pair(ir::DType::f16, std::size_t{1}));
    EXPECT_EQ(plumb::testing::node(result, "back").type.dtype, ir::DType::f32);
  }
  EXPECT_EQ(verified(stranger, plumb::testing::small_graph, {.plain = true}).plain.plain, Plain::equal);
  // Others that nobody sees may be stored so, too.
  stranger.suspect.fused = {"scores"};
  EXPECT_EQ(verified(stranger).verdict, Verdict::passed);
  EXPECT_THROW(verified(stranger, plumb::testing::small_graph, {.metamorphic = true}), ir::Error);
  stranger.keeps = parity::foreign::Storage::graph;
  EXPECT_THAT(verified(stranger).message, HasSubstr("is f16[7, 11], the graph says f32[7, 11]"));

  // A value that is moved is off by its last place, one that is computed by five.
  for (const auto& fault : {std::pair("turned", 1 + 0x1p-10F), {"weights", 1 + 0x5p-10F}}) {
    Stranger wrong = mixed([&](const std::string& at, std::span<float> y) {
      if (at == fault.first) y[1] *= fault.second;
    });
    EXPECT_THAT(plumb::testing::labels_with(verified(wrong), Verdict::failed), ElementsAre(fault.first));
  }
}

TEST(Foreign, PlainRunOfOtherBitsIsJudgedAsItIsStored) {
  Stranger stranger = mixed([](const std::string&, std::span<float>) {});
  stranger.copies = true;
  stranger.spoil = [stored = stranger.spoil](bool is_watched, const ir::Graph& graph, ir::Tensors& values) {
    stored(is_watched, graph, values);
    const auto v = graph.find("weights");
    if (!is_watched && v && values.contains(*v)) values.at(*v).bytes()[2] ^= std::byte{1};
  };
  constexpr auto sums = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[7, 50]"}},
    "params": {"w": {"type": "f32[50, 11]"}},
    "nodes": [{"label": "scores", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "weights", "op": "softmax", "inputs": ["scores"], "axis": -1}], "results": ["weights"]})";
  const auto result = verified(stranger, sums, {.plain = true});
  EXPECT_EQ(result.plain.plain, Plain::tapped) << result.message;
}

TEST(Foreign, GroupThatNothingIsKnownOfCostsCoverageAlone) {
  constexpr auto peaks = R"({"format": "plumb.graph/1", "inputs": {"power": {"type": "f32[2, 7, 33]",
      "fill": {"distribution": "uniform", "low": 0, "high": 1}}},
    "nodes": [{"label": "peaks", "op": "welch_peaks", "inputs": ["power"], "k": 5, "fft_length": 65},
              {"label": "y", "op": "unary", "inputs": ["peaks:1"], "function": "exp"},
              {"label": "z", "op": "binary", "inputs": ["power", "power"], "function": "add"}],
    "results": ["y", "z"]})";
  Stranger stranger;
  stranger.suspect.fused = {"peaks"};
  const auto result = verified(stranger, peaks);
  const auto& y = plumb::testing::node(result, "y");
  EXPECT_EQ(y.group, 2u);
  EXPECT_TRUE(y.verdict == Verdict::unsupported || y.verdict == Verdict::passed) << y.why;
  if (y.verdict == Verdict::unsupported) {
    EXPECT_THAT(y.why, HasSubstr("ask the candidate for: peaks"));
  }
  EXPECT_EQ(plumb::testing::node(result, "z").verdict, Verdict::passed);
  EXPECT_EQ(result.exit, parity::core::ExitCode::passed);
}

/// A graph of fixtures/graphs by a stranger who does not show these values.
parity::cases::CaseResult verified_without(const std::string& graph, const std::set<std::string>& hidden) {
  ref_cpu::CpuExecutor reference;
  Stranger stranger;
  stranger.spoil = [&](bool, const ir::Graph& of, ir::Tensors& values) {
    for (const std::string& name : hidden) values.erase(of.find(name).value());
  };
  parity::cases::Observer nobody;
  return parity::verify::verify(parity::verify::load_case(tests::source_dir() / "fixtures/graphs" / graph, {}),
                                {.reference = reference, .candidate = &stranger, .foreign = &stranger}, {}, nobody);
}

TEST(Foreign, RecurrenceOfWhichNotAllIsShownIsJudgedFromItsOperands) {
  const auto result = verified_without("lstm_tagger.json", {"layer0/lstm", "layer0/lstm:1", "layer1/lstm:2"});
  EXPECT_EQ(result.verdict, Verdict::passed) << result.message;
  EXPECT_EQ(plumb::testing::node(result, "layer0/lstm:2").verdict, Verdict::passed)
      << plumb::testing::node(result, "layer0/lstm:2").why;
}

TEST(Foreign, HiddenTablesAndSpectraOfGroupsRaiseNoAlarm) {
  const auto rope = verified_without("llama_block.json", {"rope/angle", "rope/cos", "rope/sin"});
  EXPECT_EQ(rope.verdict, Verdict::passed) << rope.message;
  EXPECT_EQ(plumb::testing::node(rope, "attn/q/rope").group, 4u);
  const auto spectra = verified_without("short_time_round_trip.json", {"windowed", "frames"});
  EXPECT_EQ(plumb::testing::node(spectra, "spectra").group, 3u);
  EXPECT_EQ(plumb::testing::node(spectra, "spectra").verdict, Verdict::passed)
      << plumb::testing::node(spectra, "spectra").why;
}

TEST(Foreign, RefusedNodesAreNamedAndTheOthersJudgedAlone) {
  Stranger stranger;
  stranger.refuses = {"turned"};
  EXPECT_THROW(
      try { verified(stranger); } catch (const ir::Unsupported& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("'turned' (transpose): not today"));
        EXPECT_THAT(refused.what(), HasSubstr("--mode isolate judges the other 4"));
        throw;
      },
      ir::Unsupported);
  EXPECT_EQ(stranger.compiled, 0);
  const auto result = verified(stranger, plumb::testing::small_graph, {.mode = parity::core::Mode::isolate});
  EXPECT_EQ(plumb::testing::node(result, "turned").verdict, Verdict::unsupported);
  EXPECT_EQ(plumb::testing::node(result, "back").verdict, Verdict::passed);
}

TEST(Foreign, RunThatNobodyWatchesIsJudgedAsAWhole) {
  Stranger stranger;
  constexpr auto sums = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[7, 50]"}},
    "params": {"w": {"type": "f32[50, 11]"}},
    "nodes": [{"label": "scores", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "weights", "op": "softmax", "inputs": ["scores"], "axis": -1}], "results": ["weights"]})";
  // One last place further is another order of the sum; it is within its limit, and other bits.
  stranger.spoil = [](bool is_watched, const ir::Graph& graph, ir::Tensors& values) {
    if (!is_watched) scale(graph, values, "weights", 1.0000002F);
  };
  auto result = verified(stranger, sums, {.plain = true});
  EXPECT_EQ(result.plain.plain, Plain::whole);
  EXPECT_EQ(plumb::testing::node(result, "scores").verdict, Verdict::mistrusted);
  EXPECT_EQ(result.verdict, Verdict::mistrusted);
  const auto& last = result.nodes.back();
  EXPECT_TRUE(last.is_of_plain_run);
  EXPECT_EQ(last.group, 2u);
  EXPECT_EQ(last.verdict, Verdict::passed);

  stranger.spoil = [](bool is_watched, const ir::Graph& graph, ir::Tensors& values) {
    if (!is_watched) scale(graph, values, "weights", 1.001F);
  };
  result = verified(stranger, sums, {.plain = true});
  EXPECT_EQ(result.verdict, Verdict::failed);
}

TEST(Foreign, OperandsOfFewerBitsAreNamed) {
  constexpr auto product = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[17, 64]"}},
    "params": {"w": {"type": "f32[64, 33]"}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]})";
  for (const int bits : {11, 8}) {
    Stranger stranger;
    stranger.suspect.misread = [bits](const ir::Node&, std::size_t, ir::Tensor& x) {
      for (float& one : x.as<float>()) one = static_cast<float>(parity::core::with_bits(one, bits));
    };
    const auto result = verified(stranger, product);
    EXPECT_EQ(result.verdict, Verdict::failed);
    EXPECT_THAT(plumb::testing::node(result, "y").why,
                HasSubstr(bits == 11 ? "operands keep 11 of 24 bits (TF32" : "operands keep 8 of 24 bits (bf16"));
  }
}

TEST(Foreign, OperandsOfFewerBitsAreNamedBesideABiasThatKeepsItsOwn) {
  constexpr auto layer = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[17, 32]"}},
    "params": {"w": {"type": "f32[32, 33]", "fill": {"distribution": "normal", "scale": 0.02}},
               "b": {"type": "f32[33]"}},
    "nodes": [{"label": "y", "op": "gemm", "inputs": ["x", "w", "b"], "has_c": true}], "results": ["y"]})";
  Stranger stranger;
  stranger.suspect.misread = [](const ir::Node&, std::size_t operand, ir::Tensor& x) {
    if (operand < 2)
      for (float& one : x.as<float>()) one = static_cast<float>(parity::core::with_bits(one, 11));
  };
  EXPECT_THAT(plumb::testing::node(verified(stranger, layer), "y").why, HasSubstr("operands keep 11 of 24 bits (TF32"));
}

TEST(Foreign, SumsInHalfPrecisionAreNamed) {
  constexpr auto product = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[17, 257]"}},
    "params": {"w": {"type": "f32[257, 33]"}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]})";
  Stranger stranger;
  std::vector<std::vector<float>> operands(2);
  stranger.suspect.misread = [&](const ir::Node&, std::size_t operand, ir::Tensor& x) {
    for (float& one : x.as<float>()) one = static_cast<float>(parity::core::with_bits(one, 11));
    operands.at(operand).assign(x.as<float>().begin(), x.as<float>().end());
  };
  stranger.suspect.tamper = [&](const ir::Node&, ir::Tensor& y) {
    for (std::size_t at = 0; at < y.as<float>().size(); ++at) {
      double sum = 0;
      for (std::size_t k = 0; k < 257; ++k)
        sum = parity::core::with_bits(
            sum + static_cast<double>(operands[0][at / 33 * 257 + k]) * operands[1][k * 33 + at % 33], 11);
      y.as<float>()[at] = static_cast<float>(sum);
    }
  };
  EXPECT_THAT(plumb::testing::node(verified(stranger, product), "y").why, HasSubstr("every product summed, in f16"));
}

TEST(Foreign, CoarseFunctionIsToldWithTheRuleThatAllowsIt) {
  constexpr auto sigmoid = R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[3]", "values": [-17.989, 0.5, 2]}},
    "nodes": [{"label": "y", "op": "unary", "inputs": ["x"], "function": "sigmoid"}], "results": ["y"]})";
  Stranger stranger;
  stranger.suspect.tamper = [](const ir::Node&, ir::Tensor& y) { y.as<float>()[0] += 7.4e-8F; };
  const auto result = verified(stranger, sigmoid);
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_THAT(plumb::testing::node(result, "y").why, HasSubstr("'sigmoid' is right to 7.4e-08 and no closer"));
  EXPECT_THAT(plumb::testing::node(result, "y").why, HasSubstr("{ max_abs = 8e-08 }"));
}

TEST(Foreign, BatchNormMayBeFolded) {
  constexpr auto norm = R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[1, 1, 4]", "values": [1000.5, 999.25, 1001.125, 998.0625]}},
    "params": {"scale": {"type": "f32[1]", "values": [1]}, "bias": {"type": "f32[1]", "values": [0]},
               "mean": {"type": "f32[1]", "values": [1000]}, "variance": {"type": "f32[1]", "values": [1.5]}},
    "nodes": [{"label": "y", "op": "batch_norm", "inputs": ["x", "scale", "bias", "mean", "variance"]}],
    "results": ["y"]})";
  Stranger stranger;
  stranger.suspect.tamper = [](const ir::Node&, ir::Tensor& y) {
    const float x[] = {1000.5F, 999.25F, 1001.125F, 998.0625F};
    const float factor = 1 / std::sqrt(1.5F + 1e-5F), shift = -1000 * factor;
    for (std::size_t i = 0; i < 4; ++i) y.as<float>()[i] = x[i] * factor + shift;
  };
  const auto result = verified(stranger, norm);
  EXPECT_EQ(plumb::testing::node(result, "y").verdict, Verdict::passed) << plumb::testing::node(result, "y").why;
  const auto ours = plumb::testing::verify_on(stranger.suspect, plumb::testing::make_case(norm));
  EXPECT_EQ(plumb::testing::node(ours, "y").verdict, Verdict::failed);
}

TEST(Foreign, FileOfTensorsIsNotRunAgain) {
  Stranger stranger;
  stranger.is_dump = true;
  const auto result = verified(stranger, plumb::testing::small_graph, {.repeat = 3, .plain = true});
  EXPECT_EQ(stranger.compiled, 1);
  EXPECT_EQ(result.plain.plain, Plain::not_run);
  EXPECT_EQ(result.verdict, Verdict::passed);
}

}  // namespace
}  // namespace plumb::foreign_test
