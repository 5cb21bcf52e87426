// Devices that add as they say but for a fault, which the emulator sees where no limit does, and names.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/conv.hpp"
#include "parity/profile/attention.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::emulated_faults_test {
namespace {

using ::testing::HasSubstr;

const profile::DeviceProfile& plain_device() {
  static const profile::DeviceProfile profile{.name = "plain", .products = {profile::plain_products(true)}};
  return profile;
}

/// A device of which node `y` adds as `sums` say, and gives what `make` makes.
cases::NodeResult emulated(const cases::Case& subject, const std::vector<ir::Sum>& sums,
                           const std::function<ir::Tensor()>& make) {
  testing::Suspect device;
  device.tamper = [&](const ir::Node&, ir::Tensor& output) { output = ir::convert(make(), output.dtype()); };
  device.describe = [&](const ir::Node&, ir::NodeReport& report) { report.sums = sums; };
  verify::VerifyOptions options;
  options.emulated = &plain_device();
  const cases::CaseResult result = testing::verify_on(device, subject, options);
  cases::NodeResult y = testing::node(result, "y");
  y.why = fmt::format("{}", fmt::join(result.notes, "\n"));
  return y;
}

ir::Tensor fed(const cases::Case& subject, const char* name) {
  const ir::Graph& graph = subject.file->graph;
  return ir::fed(graph, subject.feeds, *graph.find(name));
}

constexpr auto convolution = R"({"format": "plumb.graph/1", "why": "a convolution by itself",
  "inputs": {"x": {"type": "f32[1, 24, 9, 9]"}}, "params": {"w": {"type": "f32[16, 24, 3, 3]"}},
  "nodes": [{"label": "y", "op": "conv", "inputs": ["x", "w"], "pads": [1, 1, 1, 1]}], "results": ["y"]})";

const std::vector<ir::Sum> one_fused_chain = {{.unit = ir::SumUnit::fma, .levels = profile::one_chain()}};

/// The device's result where `spoil` was done to the filters that it reads.
cases::NodeResult convolved(const std::function<void(ir::Tensor& w)>& spoil, double size = 1) {
  cases::Case subject = testing::make_case(convolution);
  const auto shrink = [size](ir::Tensor& w) {  // channel 5
    for (std::size_t i = 0; i < w.as<float>().size(); ++i)
      if (i / 9 % 24 == 5) w.as<float>()[i] *= static_cast<float>(size);
  };
  shrink(subject.feeds.at("w"));
  const ir::Tensor x = fed(subject, "x");
  ir::Tensor w = fed(subject, "w");
  spoil(w);
  const ir::TensorView operands[] = {x, w};
  return emulated(subject, one_fused_chain, [&] {
    return *profile::emulate(ir::ops::Conv{.strides = {}, .dilations = {}, .pads = {1, 1, 1, 1}}, operands,
                             {ir::DType::f32, {1, 16, 9, 9}}, profile::plain_products(true), one_fused_chain[0]);
  });
}

void lose_channel_5(ir::Tensor& w) {
  for (std::size_t i = 0; i < w.as<float>().size(); ++i)
    if (i / 9 % 24 == 5) w.as<float>()[i] = 0;
}

TEST(EmulatedFaults, AConvolutionIsWhatItsDeviceGives) {
  const cases::NodeResult y = convolved([](ir::Tensor&) {});
  EXPECT_EQ(y.emulator_ulp, 0);
  EXPECT_EQ(y.emulator_pattern, "");
  EXPECT_GT(y.local.max_ulp.value, 0);  // the truth is further away
}

TEST(EmulatedFaults, LostTermsOfAConvolutionAreNamed) {
  const cases::NodeResult y = convolved(lose_channel_5);
  EXPECT_GT(y.emulator_ulp, 1000);
  EXPECT_THAT(y.emulator_pattern, HasSubstr("terms 45 to 53 are missing"));
  EXPECT_THAT(y.why, HasSubstr("y is not what was replayed: terms 45 to 53 are missing"));
}

/// So small that no limit of any order of summing sees it.
TEST(EmulatedFaults, LostTermsBelowEveryLimitAreSeen) {
  const cases::NodeResult y = convolved(lose_channel_5, 1e-7);
  EXPECT_EQ(y.verdict, core::Verdict::passed);
  EXPECT_GT(y.emulator_ulp, 0);
  EXPECT_THAT(y.why, HasSubstr(" ulps away, y"));
}

constexpr auto attention_graph = R"({"format": "plumb.graph/1", "why": "attention by itself",
  "inputs": {"q": {"type": "f32[1, 2, 9, 16]"}, "k": {"type": "f32[1, 2, 80, 16]"}, "v": {"type": "f32[1, 2, 80, 16]"}},
  "nodes": [{"label": "y", "op": "attention", "inputs": ["q", "k", "v"]}], "results": ["y"]})";

/// As the kernel by tiles in shared memory says, for blocks of 32 keys.
std::vector<ir::Sum> sums_of_tiles(std::int64_t block) {
  const ir::SumLevel lanes{.count = block / 2, .take = ir::SumTake::every};
  return {{.of = ir::SumName::scores,
           .unit = ir::SumUnit::fma,
           .levels = {{}},
           .is_rounded = true,
           .epilogue = {ir::SumStep::scale}},
          {.of = ir::SumName::row_sum, .levels = {{2}, lanes, {}}, .is_rounded = true, .rescale = block},
          {.of = ir::SumName::values,
           .unit = ir::SumUnit::fma,
           .levels = {{block}, {}},
           .epilogue = {ir::SumStep::division},
           .rescale = block}};
}

/// The result of a device that adds in blocks of so many keys, on values that `spoil` was done to.
cases::NodeResult attended(std::int64_t block, const std::function<void(ir::Tensor& v)>& spoil) {
  const cases::Case subject = testing::make_case(attention_graph);
  const ir::Tensor q = fed(subject, "q"), k = fed(subject, "k");
  ir::Tensor v = fed(subject, "v");
  spoil(v);
  const ir::TensorView operands[] = {q, k, v};
  return emulated(subject, sums_of_tiles(32), [&] {
    return *profile::attention({}, operands, {1, 2, 9, 16}, plain_device(), sums_of_tiles(block), true);
  });
}

TEST(EmulatedFaults, AttentionIsWhatItsDeviceGives) {
  const cases::NodeResult y = attended(32, [](ir::Tensor&) {});
  EXPECT_EQ(y.emulator_share, 0);
  EXPECT_THAT(y.why, HasSubstr("1 attention replayed"));
  EXPECT_THAT(y.why, HasSubstr("at most 0 of half their limits away"));
}

TEST(EmulatedFaults, AttentionInOtherBlocksIsNotButNear) {
  const cases::NodeResult y = attended(16, [](ir::Tensor&) {});
  EXPECT_GT(y.emulator_share, 0);
  EXPECT_LT(y.emulator_share, 1);
}

TEST(EmulatedFaults, ALostKeyOfAttentionIsSeen) {
  const cases::NodeResult y = attended(32, [](ir::Tensor& v) {
    for (std::size_t d = 0; d < 16; ++d) v.as<float>()[71 * 16 + d] = 0;
  });
  EXPECT_GT(y.emulator_share, 100);
  EXPECT_THAT(y.why, HasSubstr("of half their limits away, y"));
}

/// 0 times an infinity would be a NaN.
TEST(EmulatedFaults, AValueOfAKeyThatIsNotSeenHasNoInfluence) {
  const cases::Case subject = testing::make_case(attention_graph);
  const ir::Tensor q = fed(subject, "q"), k = fed(subject, "k");
  const auto attended_with = [&](float value) {
    ir::Tensor v = fed(subject, "v");
    for (std::size_t d = 0; d < 16; ++d) v.as<float>()[79 * 16 + d] = value;  // the last key of the first head
    const ir::TensorView operands[] = {q, k, v};
    return *profile::attention({.causal = true}, operands, {1, 2, 9, 16}, plain_device(), sums_of_tiles(32), true);
  };
  const ir::Tensor with = attended_with(INFINITY), without = attended_with(0);
  for (std::size_t i = 0; i < 9 * 16; ++i)  // only the last query sees it
    EXPECT_EQ(std::isinf(with.as<float>()[i]), i >= 8 * 16) << i;
  for (std::size_t i = 0; i < 8 * 16; ++i) EXPECT_EQ(with.as<float>()[i], without.as<float>()[i]) << i;
}

}  // namespace
}  // namespace plumb::parity::emulated_faults_test
