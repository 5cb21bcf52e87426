#include "parity/profile/emulated_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/profile/emulator.hpp"
#include "parity/results/results_rows.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::emulated_node_test {
namespace {

using ::testing::HasSubstr;

constexpr auto products_graph = R"({"format": "plumb.graph/1", "why": "a product of matrices, alone and in a gemm",
  "inputs": {"x": {"type": "f16[2, 17, 70]"}, "c": {"type": "f16[9]"}, "v": {"type": "f16[70, 17]"}},
  "params": {"w": {"type": "f16[70, 9]"}},
  "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "z", "op": "gemm", "inputs": ["v", "w", "c"], "alpha": 0.5, "beta": 2, "transpose_a": true,
             "has_c": true},
            {"label": "r", "op": "unary", "inputs": ["y"], "function": "relu"}],
  "results": ["r", "z"]})";

/// A matrix unit that truncates.
profile::DeviceProfile unit() {
  profile::Products narrow = testing::matrix_unit(ir::DType::f16, 11);
  narrow.accumulator_bits = 11;
  return {.name = "unit", .products = {narrow}};
}

/// A new sum every 32 terms.
const profile::Levels in_chunks = {{32}, {}};

/// On a device that is `unit()`.
cases::CaseResult verify_unit(const profile::DeviceProfile* emulated, const policy::Gate* gate = nullptr) {
  testing::EmulatedDevice device(unit(), in_chunks);
  ref_cpu::CpuExecutor reference;
  cases::Observer observer;
  verify::VerifyOptions options;
  options.emulated = emulated;
  options.gate = gate;
  return verify::verify(testing::make_case(products_graph), {.reference = reference, .candidate = &device}, options,
                        observer);
}

TEST(EmulatedNode, OfTheRightProfileIsWhatTheDeviceGave) {
  const profile::DeviceProfile profile = unit();
  const cases::CaseResult result = verify_unit(&profile);
  EXPECT_EQ(result.nodes[0].emulator_ulp, 0);
  EXPECT_EQ(result.nodes[1].emulator_ulp, 0);
  EXPECT_EQ(result.nodes[2].emulator_ulp, std::nullopt);
  EXPECT_GT(result.nodes[0].local.max_ulp.value, 1);  // the truth is further away
  ASSERT_FALSE(result.notes.empty());
  EXPECT_THAT(result.notes.back(), HasSubstr("2 products replayed with profile " + profile.sha256().substr(0, 12)));
  EXPECT_THAT(result.notes.back(), HasSubstr("at most 0 ulps away"));
}

TEST(EmulatedNode, OfAWrongProfileIsNot) {
  profile::DeviceProfile profile = unit();
  profile.products[0].rounding = profile::Rounding::nearest;
  EXPECT_GT(*verify_unit(&profile).nodes[0].emulator_ulp, 1);
  profile = unit();
  profile.products[0].block = 8;
  EXPECT_GT(*verify_unit(&profile).nodes[0].emulator_ulp, 0);
}

/// The ulps of the first product on a device with these levels, which may say something else of them.
std::optional<double> replayed(const profile::Levels& levels, const profile::Levels& published) {
  testing::EmulatedDevice device(unit(), levels);
  device.published = published;
  const profile::DeviceProfile profile = unit();
  ref_cpu::CpuExecutor reference;
  cases::Observer observer;
  const cases::Executors executors{.reference = reference, .candidate = &device};
  return verify::verify(testing::make_case(products_graph), executors, {.emulated = &profile}, observer)
      .nodes[0]
      .emulator_ulp;
}

TEST(EmulatedNode, IsReplayedInTheLevelsThatItsKernelPublishes) {
  const ir::SumLevel unit_of_16{16, ir::SumTake::run, ir::SumJoin::unit}, all{}, slices{2}, in_14{14};
  const ir::SumLevel lanes{5, ir::SumTake::every, ir::SumJoin::pair};
  for (const profile::Levels& levels :
       {profile::Levels{unit_of_16, all}, {unit_of_16, all, slices}, {in_14, all}, {in_14, all, lanes}, {all, lanes}})
    EXPECT_EQ(replayed(levels, levels), 0) << levels.size();
  EXPECT_GT(*replayed({all, slices}, {all}), 0);
  EXPECT_GT(*replayed({all, lanes}, {all}), 0);
  EXPECT_GT(*replayed({in_14, all}, {all}), 0);
}

TEST(EmulatedNode, IsNotReplayedWhereItsKernelDoesNotSayWhichTermsGoWhere) {
  const ir::Sum plain{.levels = profile::one_chain()};
  EXPECT_TRUE(profile::is_replayable(plain, 70));
  const auto changed = [&](auto member, const auto& value) {
    ir::Sum sum = plain;
    sum.*member = value;
    return profile::is_replayable(sum, 70);
  };
  EXPECT_FALSE(changed(&ir::Sum::order, "shuffled"));
  using Levels = profile::Levels;
  EXPECT_FALSE(changed(&ir::Sum::levels, Levels{}));
  EXPECT_FALSE(changed(&ir::Sum::levels, Levels{{.compensated = true}}));
  EXPECT_TRUE(changed(&ir::Sum::levels, Levels{{}, {7}}));
  EXPECT_FALSE(changed(&ir::Sum::levels, Levels{{}, {3}}));    // slices of how many of the 70 terms?
  EXPECT_FALSE(changed(&ir::Sum::levels, Levels{{}, {}}));     // how many items?
  EXPECT_FALSE(changed(&ir::Sum::levels, Levels{{16}, {4}}));  // too few for 70 terms
  EXPECT_TRUE(changed(&ir::Sum::levels, Levels{{16}, {5}}));
  EXPECT_FALSE(changed(&ir::Sum::levels, Levels{{}, {.take = ir::SumTake::every}}));
  EXPECT_EQ(replayed({{}, {2}}, {{}, {3}}), std::nullopt);
}

TEST(EmulatedNode, IsNotReplayedByWhatIsNotKnown) {
  EXPECT_EQ(verify_unit(nullptr).nodes[0].emulator_ulp, std::nullopt);
  profile::DeviceProfile profile = unit();
  profile.products[0].block = 0;
  const cases::CaseResult result = verify_unit(&profile);
  EXPECT_EQ(result.nodes[0].emulator_ulp, std::nullopt);
  EXPECT_THAT(result.notes.back(), HasSubstr("no node was replayed"));
}

TEST(EmulatedNode, IsWhatAPolicyMayGateOn) {
  const auto gate = policy::Gate{.policy = policy::parse(R"(schema = "plumb-policy/1"
[[rule]]
id = "replayed"
match = { op = ["matmul", "gemm"] }
require = { emulator_ulp = 1 }
[[rule]]
id = "others"
match = {}
require = { bound = "auto" }
)",
                                                         "p.toml")};
  profile::DeviceProfile profile = unit();
  const auto right = verify_unit(&profile, &gate);
  EXPECT_EQ(right.nodes[0].verdict, core::Verdict::passed) << right.nodes[0].why;
  profile.products[0].rounding = profile::Rounding::nearest;
  const auto wrong = verify_unit(&profile, &gate);
  EXPECT_EQ(wrong.nodes[0].verdict, core::Verdict::failed);
  EXPECT_THAT(wrong.nodes[0].why, HasSubstr("emulator_ulp is"));
  const auto without = verify_unit(nullptr, &gate);
  EXPECT_EQ(without.nodes[0].verdict, core::Verdict::error);
  EXPECT_THAT(without.nodes[0].why, HasSubstr("emulator_ulp was not computed"));
}

TEST(EmulatedNode, GoesOnBehindAProductThatIsFusedWithOthers) {
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1", "why": "a product with a bias",
    "inputs": {"x": {"type": "f16[5, 70]"}}, "params": {"w": {"type": "f16[70, 9]"}, "c": {"type": "f16[9]"}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "z", "op": "binary", "inputs": ["y", "c"], "function": "add"}],
    "results": ["z"]})");
  const ir::Graph& graph = subject.file->graph;
  const core::Segment fused = core::segment_of(graph, 1, [&](ir::Value v) { return graph.is_source(v); });
  std::vector<ir::TensorView> fed;
  for (const ir::Value v : fused.fed) fed.push_back(ir::fed(graph, subject.feeds, v));
  const auto source = [&](const char* name) -> ir::TensorView {
    return ir::fed(graph, subject.feeds, *graph.find(name));
  };
  const auto operands = std::array{source("x"), source("w")};
  const auto sum = *profile::emulate(graph.nodes()[0].op, operands, {ir::DType::f32, {5, 9}}, unit().products[0],
                                     {.levels = in_chunks});
  ir::Tensor z({ir::DType::f32, {5, 9}});
  const ir::Tensor c = ir::convert(source("c"), ir::DType::f32);
  for (std::size_t i = 0; i < 45; ++i) z.as<float>()[i] = sum.as<float>()[i] + c.as<float>()[i % 9];
  const ir::Tensor got = ir::convert(z, ir::DType::f16);
  const std::vector<ir::Sum> sums = {{.unit = ir::SumUnit::matrix, .levels = in_chunks}};
  ref_cpu::CpuExecutor reference;
  EXPECT_EQ(profile::emulation_of(reference, unit(), sums, fused, fed, 0, got).ulp, 0);
  profile::DeviceProfile other = unit();
  other.products[0].rounding = profile::Rounding::nearest;
  EXPECT_GT(profile::emulation_of(reference, other, sums, fused, fed, 0, got).ulp, 0);
}

/// An H200 was 4 times beyond limits that took the terms for as small as they are.
TEST(EmulatedNode, OfSubnormalFactorsIsWithinTheLimitsOfItsUnit) {
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1", "why": "sines of whole turns, as f16",
    "inputs": {"x": {"type": "f16[40, 200]"}},
    "params": {"w": {"type": "f16[200, 7]", "fill": {"distribution": "uniform", "low": -2e-7, "high": 2e-7}}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"], "output_dtype": "f32"}], "results": ["y"]})");
  const profile::DeviceProfile profile{.name = "unit", .products = {testing::matrix_unit(ir::DType::f16, 11)}};
  testing::EmulatedDevice device(profile, {{128}, {}});
  ref_cpu::CpuExecutor reference;
  cases::Observer observer;
  const cases::Executors executors{.reference = reference, .candidate = &device, .profile = &profile};
  const cases::NodeResult node = verify::verify(subject, executors, {.emulated = &profile}, observer).nodes.at(0);
  EXPECT_EQ(node.emulator_ulp, 0);
  EXPECT_GT(node.local.max_ulp.value, 100);
  EXPECT_LE(node.local.ratio(), 1);
}

TEST(EmulatedNode, IsInTheRowsOfResults) {
  const profile::DeviceProfile profile = unit();
  const cases::CaseResult result = verify_unit(&profile);
  results::SumList sums;
  results::Rows rows(
      result.subject.file->graph, 0, [](const std::string&) { return 0u; }, sums);
  rows.add(result.nodes[0]);
  EXPECT_EQ(rows.nodes[0].emulator_ulp, 0);
}

TEST(ProfileAttributes, SayWhatIsKnown) {
  profile::DeviceProfile profile = unit();
  const auto said = [&](std::string_view name) {
    for (const auto& [key, value] : profile::profile_attributes(profile))
      if (key == name) return value;
    return std::string("absent");
  };
  EXPECT_EQ(said("profile_sha256"), profile.sha256());
  EXPECT_EQ(said("unit"), "matrix");
  EXPECT_EQ(said("acc_block"), "16");
  EXPECT_EQ(said("acc_rounding"), "truncating");
  EXPECT_EQ(said("fma"), "unknown");
  profile = profile::safe_profile();
  EXPECT_EQ(said("profile_sha256"), "");
  EXPECT_EQ(said("unit"), "unknown");
  EXPECT_EQ(said("acc_bits"), "unknown");
}

}  // namespace
}  // namespace plumb::parity::emulated_node_test
