#include "parity/verify/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::verify_test {
namespace {

using ::testing::HasSubstr;
using testing::labels_with;
using testing::make_case;
using testing::node;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;

using Labels = std::vector<std::string>;

TEST(Verify, AnHonestExecutorPassesEverywhere) {
  Suspect honest;
  const auto result = verify_on(honest, make_case(small_graph));
  EXPECT_EQ(result.verdict, core::Verdict::passed) << result.message;
  EXPECT_EQ(result.exit, core::ExitCode::passed);
  EXPECT_EQ(result.nodes.size(), 5u);
  EXPECT_EQ(labels_with(result, core::Verdict::passed).size(), 5u);
  const auto& scores = node(result, "scores");
  EXPECT_EQ(scores.op, "matmul");
  EXPECT_EQ(scores.in, std::vector({ir::DType::f32, ir::DType::f32}));
  EXPECT_EQ(scores.type, (ir::TensorType{ir::DType::f32, {7, 11}}));
  EXPECT_EQ(scores.kernel, "kernel_of_scores");
  EXPECT_EQ(scores.device_ns, 1000u);
  EXPECT_TRUE(scores.reference_ns && scores.hash);
  EXPECT_GT(scores.local.max_abs.value, 0);
  EXPECT_EQ(scores.inherited.max_abs.value, 0);  // its inputs are those of the graph
  EXPECT_EQ(scores.total.max_abs.value, scores.local.max_abs.value);
  EXPECT_GT(node(result, "weights").inherited.max_abs.value, 0);
}

TEST(Verify, BlamesTheCulpritAndNotItsSuccessors) {
  auto suspect = spoiler("scores", [](ir::Tensor& y) { y.as<float>()[13] += 1e-3f; });
  const auto result = verify_on(suspect, make_case(small_graph));
  EXPECT_EQ(result.verdict, core::Verdict::failed);
  EXPECT_EQ(result.exit, core::ExitCode::failed);
  EXPECT_EQ(labels_with(result, core::Verdict::failed), Labels{"scores"});
  EXPECT_THAT(node(result, "scores").why, HasSubstr("1 of 77 elements differ"));
  EXPECT_THAT(node(result, "scores").why, HasSubstr("is element 13"));
  EXPECT_EQ(node(result, "scores").repro, "plumb verify small.json --seed 1 --filter '^scores$'");
  EXPECT_GT(node(result, "weights").total.max_abs.value, 1e-6);  // it is wrong, but not by its own doing
  EXPECT_LT(node(result, "weights").local.max_abs.value, 1e-6);
}

TEST(Verify, DoesNotLetAKernelHideNanOrInfinity) {
  cases::Case subject = make_case(small_graph);
  subject.feeds.at("x").as<float>()[0] = INFINITY;  // scores: a row of infinities of both signs; weights: a row of NaN
  for (const float mask : {0.0f, -INFINITY, 3e38f}) {
    auto suspect = spoiler("scores", [mask](ir::Tensor& y) {
      for (float& x : y.as<float>())
        if (std::isinf(x) && x > 0) x = mask;
    });
    EXPECT_EQ(labels_with(verify_on(suspect, subject), core::Verdict::failed), Labels{"scores"}) << mask;
  }
  auto suspect = spoiler("weights", [](ir::Tensor& y) {
    for (float& x : y.as<float>())
      if (std::isnan(x)) x = 0;
  });
  EXPECT_EQ(labels_with(verify_on(suspect, subject), core::Verdict::failed), Labels{"weights"});
}

TEST(Verify, HoldsIntegersAndMovementToTheBit) {
  auto off_by_one = spoiler("whole", [](ir::Tensor& y) { ++y.as<std::int32_t>()[0]; });
  EXPECT_EQ(labels_with(verify_on(off_by_one, make_case(small_graph)), core::Verdict::failed), Labels{"whole"});
  auto last_bit = spoiler("turned", [](ir::Tensor& y) { y.as<float>()[3] = std::nextafter(y.as<float>()[3], 2.0f); });
  EXPECT_EQ(labels_with(verify_on(last_bit, make_case(small_graph)), core::Verdict::failed), Labels{"turned"});
}

TEST(Verify, JudgesAFusedNodeWithTheOneThatKeptItsValue) {
  Suspect suspect;
  suspect.fused = {"scores", "turned"};
  const auto result = verify_on(suspect, make_case(small_graph));
  EXPECT_EQ(result.verdict, core::Verdict::passed);
  EXPECT_EQ(labels_with(result, core::Verdict::skipped), (Labels{"scores", "turned"}));
  EXPECT_EQ(node(result, "scores").why, "computed in the next one");
  suspect.tamper = [](const ir::Node& at, ir::Tensor& y) {
    if (at.label == "scores") y.as<float>()[0] += 1e-3f;
  };
  EXPECT_EQ(labels_with(verify_on(suspect, make_case(small_graph)), core::Verdict::failed), Labels{"weights"});
}

TEST(Verify, SaysWhichNodeIsNotDeterministic) {
  int run = 0;
  Suspect suspect;
  suspect.on_run = [&] { ++run; };
  suspect.tamper = [&](const ir::Node& at, ir::Tensor& y) {
    if (at.label == "back" && run == 3) y.as<float>()[0] = std::nextafter(y.as<float>()[0], 9.0f);
  };
  EXPECT_EQ(verify_on(suspect, make_case(small_graph), {.repeat = 2}).verdict, core::Verdict::passed);
  run = 0;
  const auto result = verify_on(suspect, make_case(small_graph), {.repeat = 3});
  EXPECT_EQ(labels_with(result, core::Verdict::nondeterministic), Labels{"back"});
  EXPECT_EQ(result.exit, core::ExitCode::failed);
}

TEST(Verify, AFallbackIsNeverVerified) {
  Suspect suspect;
  suspect.on_host = {"weights"};
  auto result = verify_on(suspect, make_case(small_graph));
  EXPECT_EQ(node(result, "weights").verdict, core::Verdict::fallback);
  EXPECT_EQ(node(result, "weights").why, "ran on the host: has no kernel");
  EXPECT_LT(result.coverage.flops, 0.9);
  EXPECT_EQ(result.verdict, core::Verdict::mistrusted);
  EXPECT_EQ(verify_on(suspect, make_case(small_graph), {.min_verified = result.coverage}).verdict,
            core::Verdict::passed);
  suspect.on_host = {"scores", "weights", "turned", "back", "whole"};
  result = verify_on(suspect, make_case(small_graph));
  EXPECT_EQ(result.verdict, core::Verdict::fallback);
  EXPECT_EQ(result.exit, core::ExitCode::nothing_ran);
}

constexpr auto stated_graph = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[3]", "values": [1000, 1000, -1000]}},
  "nodes": [{"label": "y", "op": "softmax", "inputs": ["x"], "axis": -1}],
  "results": {"y": {"values": [0.5, EXPECTED, 0]}}})";

cases::Case stated(const std::string& expected) {
  auto text = std::string(stated_graph);
  return make_case(text.replace(text.find("EXPECTED"), 8, expected));
}

TEST(Verify, HoldsTheTruthAgainstWhatTheFileStates) {
  Suspect honest;
  EXPECT_EQ(verify_on(honest, stated("0.5")).verdict, core::Verdict::passed);
  const auto result = verify_on(honest, stated("0.5001"));
  EXPECT_EQ(result.exit, core::ExitCode::failed);
  EXPECT_EQ(labels_with(result, core::Verdict::failed), Labels{"y"});
  EXPECT_THAT(node(result, "y").why,
              HasSubstr("the truth is not what the file expects: 1 of 3 elements are stated wrong"));
  EXPECT_THAT(node(result, "y").why, HasSubstr("stated 0.5001, it is 0.5"));
}

TEST(Verify, AllZeroIsMistrustedUnlessTheFileStatesIt) {
  auto text = std::string(small_graph);
  text.replace(text.find(R"("f32[7, 5]")"), 11, R"("f32[7, 5]", "fill": {"distribution": "constant", "value": 0})");
  Suspect honest;
  const auto result = verify_on(honest, make_case(text));
  EXPECT_EQ(result.verdict, core::Verdict::mistrusted);
  EXPECT_EQ(result.exit, core::ExitCode::passed);
  EXPECT_EQ(node(result, "scores").why, "the truth is all zero");
  EXPECT_EQ(core::exit_code(verify::ends_of(std::vector{result}), {.strict = true}), core::ExitCode::mistrusted);
  EXPECT_EQ(core::exit_code(verify::ends_of(std::vector{result}), {}), core::ExitCode::passed);
}

TEST(Verify, OnlyChosenNodesAreJudged) {
  auto suspect = spoiler("scores", [](ir::Tensor& y) { y.as<float>()[13] += 1e-3f; });
  const auto result = verify_on(suspect, make_case(small_graph), {.filter = "^(turned|back)$"});
  EXPECT_EQ(labels_with(result, core::Verdict::passed), (Labels{"turned", "back"}));
  EXPECT_EQ(labels_with(result, core::Verdict::skipped), (Labels{"scores", "weights", "whole"}));
  EXPECT_GT(node(result, "back").total.max_abs.value, 1e-6);
  EXPECT_EQ(verify_on(suspect, make_case(small_graph), {.filter = "nothing"}).exit, core::ExitCode::nothing_ran);
  EXPECT_THROW(verify_on(suspect, make_case(small_graph), {.filter = "("}), ir::Error);
}

constexpr auto gather_graph = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[3, 2]"}, "i": {"type": "i64[2]", "values": [0, INDEX]}},
  "nodes": [{"label": "y", "op": "gather", "inputs": ["x", "i"], "axis": 0}], "results": ["y"]})";

cases::Case gathered(const std::string& index) {
  auto text = std::string(gather_graph);
  return make_case(text.replace(text.find("INDEX"), 5, index));
}

TEST(Verify, ARefusalOfTheCandidateAloneIsAFailure) {
  Suspect suspect;
  suspect.on_run = [] { ir::fail("index 2 is out of range"); };
  const auto result = verify_on(suspect, gathered("2"));
  EXPECT_EQ(result.exit, core::ExitCode::failed);
  EXPECT_EQ(result.message, "the candidate refuses what the reference runs: index 2 is out of range");
  EXPECT_THROW(verify_on(suspect, gathered("3")), ir::Error);  // both refuse: the inputs are wrong
}

TEST(Verify, AcceptingWhatTheReferenceRefusesIsAFailure) {
  class Clamping final : public ir::Executor {  // reads row 2 where row 3 was asked for
   public:
    std::string_view name() const override { return "clamping"; }
    bool has_kernel(const ir::OpSchema&) const override { return true; }
    std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds&, const ir::Capture&) override {
      class Program final : public ir::Executable {
       public:
        explicit Program(ir::Tensors values) : values_(std::move(values)) {}
        ir::Tensors run(const ir::Feeds&) override { return values_; }
        std::vector<ir::NodeReport> nodes() const override { return {{ir::Placement::gpu, "gather", "", {}}}; }

       private:
        ir::Tensors values_;
      };
      return std::make_unique<Program>(ir::Tensors{{graph.results()[0], ir::Tensor(graph.type(graph.results()[0]))}});
    }
  };
  Clamping clamping;
  ref_cpu::CpuExecutor reference;
  cases::Observer nobody;
  const auto result = verify::verify(gathered("3"), {.reference = reference, .candidate = &clamping}, {}, nobody);
  EXPECT_EQ(labels_with(result, core::Verdict::failed), Labels{"y"});
  EXPECT_THAT(node(result, "y").why, HasSubstr("the candidate ran what the reference refuses: node 'y' (gather)"));
}

TEST(Verify, AnF16GraphIsHeldToF16) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "verify_f16.json";
  std::ofstream(path) << small_graph;
  const cases::Case half = verify::load_case(path, {.dtype = ir::DType::f16});
  Suspect honest;
  auto result = verify_on(honest, half);
  for (const auto& one : result.nodes) EXPECT_EQ(one.why, "") << one.label;
  EXPECT_EQ(node(result, "scores").type.dtype, ir::DType::f16);
  EXPECT_GT(node(result, "scores").local.max_abs.value, 1e-5);
  EXPECT_THAT(node(result, "scores").repro, HasSubstr("--dtype f16 --seed 1"));
  auto suspect = spoiler("scores", [](ir::Tensor& y) { y.as<ir::f16>()[13].bits ^= 0x20; });
  EXPECT_EQ(labels_with(verify_on(suspect, half), core::Verdict::failed), Labels{"scores"});
}

TEST(VerifyFile, TurnsTroubleIntoAVerdictAndAnExitCode) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "verify_file.json";
  std::ofstream(path) << small_graph;
  ref_cpu::CpuExecutor reference;
  Suspect suspect;
  cases::Observer nobody;
  const cases::Executors both{.reference = reference, .candidate = &suspect},
      alone{.reference = reference, .why_not = "no driver"};
  const auto run = [&](const std::filesystem::path& file, const cases::Executors& executors,
                       const verify::FillOptions& fill = {}) {
    return verify::verify_file(file, fill, executors, {}, nobody);
  };
  EXPECT_EQ(run(path, both).exit, core::ExitCode::passed);

  auto result = run(path, alone);
  EXPECT_EQ(result.verdict, core::Verdict::unsupported);
  EXPECT_EQ(result.exit, core::ExitCode::nothing_ran);
  EXPECT_EQ(result.message, "no driver");

  result = run(path.string() + ".not", alone);  // a file that is not there is the user's error, device or not
  EXPECT_EQ(result.verdict, core::Verdict::error);
  EXPECT_EQ(result.exit, core::ExitCode::tool_error);
  EXPECT_THAT(result.message, HasSubstr("verify_file.json.not"));

  result = run(path, both, {.memory_budget = 1000});
  EXPECT_EQ(result.exit, core::ExitCode::tool_error);
  EXPECT_THAT(result.message, HasSubstr("of memory, at most"));

  suspect.on_run = [] { throw ir::DeviceError("vkQueueSubmit: VK_ERROR_DEVICE_LOST"); };
  result = run(path, both);
  EXPECT_EQ(result.verdict, core::Verdict::error);
  EXPECT_EQ(result.exit, core::ExitCode::device_error);
  EXPECT_EQ(result.message, "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
}

TEST(VerifyFile, GivenTensorsReplaceThoseOfTheFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "verify_given.json";
  std::ofstream(path) << small_graph;
  const ir::Tensor x({ir::DType::f32, {7, 5}});
  EXPECT_EQ(verify::load_case(path, {.given = {{"x", x}}}).feeds.at("x").as<float>()[0], 0);
  EXPECT_NE(verify::load_case(path, {}).feeds.at("x").as<float>()[0], 0);
  EXPECT_THROW(verify::load_case(path, {.given = {{"scores", x}}}), ir::Error);
}

TEST(Verify, TellsItsObserverEveryStep) {
  class Listener final : public cases::Observer {
   public:
    void step(std::string_view what, std::size_t done, std::size_t steps) override {
      EXPECT_EQ(done, static_cast<std::size_t>(heard.size()));
      EXPECT_EQ(steps, 7u);
      heard.emplace_back(what);
    }
    void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override {
      EXPECT_EQ(truth.shape(), result.type.shape);
      EXPECT_EQ(got.type(), result.type);
      ++nodes;
    }
    std::vector<std::string> heard;
    int nodes = 0;
  };
  Suspect honest;
  ref_cpu::CpuExecutor reference;
  Listener listener;
  verify::verify(make_case(small_graph), {.reference = reference, .candidate = &honest}, {}, listener);
  EXPECT_EQ(listener.nodes, 5);
  ASSERT_EQ(listener.heard.size(), 8u);
  EXPECT_EQ(listener.heard[0], "compiling for suspect");
  EXPECT_EQ(listener.heard[1], "first run on suspect");
  EXPECT_EQ(listener.heard.back(), "done");
}

}  // namespace
}  // namespace plumb::parity::verify_test
