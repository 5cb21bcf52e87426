// A kernel that multiplies a norm into the filters of the convolution before it adds other terms than the graph has.
#include "parity/settle/folded_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/ops/batch_norm.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/settle/range.hpp"
#include "parity/settle/settle.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::settle::folded_sum_test {
namespace {

using ir::DType;
using ir::Tensor;

constexpr std::int64_t filters = 4, places = 8;
constexpr double epsilon = 1e-5;

/// Images [1, channels, places], filters [filters, channels, 1], and what the norm has of each: scale, bias, mean,
/// variance.
struct Operands {
  Tensor x, w;
  std::vector<Tensor> norm;

  std::vector<ir::TensorView> views() const {
    std::vector<ir::TensorView> all = {x, w};
    all.insert(all.end(), norm.begin(), norm.end());
    return all;
  }
};

/// Makers of single numbers of x and of w, by channel, the number of channels, and a number from 0 to 1.
struct Data {
  std::string name;
  std::function<double(std::size_t c, std::size_t channels, double chance)> x, w;
};

std::vector<Data> kinds_of_data() {
  const auto near_one = [](std::size_t, std::size_t, double u) { return 0.9 + 0.2 * u; };
  const auto one = [](std::size_t, std::size_t, double) { return 1.0; };
  const auto spread = [](std::size_t, std::size_t, double u) { return 2 * u - 1; };
  return {{"uniform", spread, spread},
          {"risen and fallen",
           [](std::size_t c, std::size_t channels, double u) { return (c < channels / 2 ? 1 : -1) * (0.9 + 0.2 * u); },
           near_one},
          {"whole numbers, risen and fallen",
           [](std::size_t c, std::size_t channels, double u) {
             return (c < channels / 2 ? 1 : -1) * std::floor(1 + 3000 * u);
           },
           one},
          {"lost", [](std::size_t c, std::size_t, double u) { return c == 0 ? 1 : 7.5e-9 + 4e-8 * u; }, near_one},
          {"two values", [](std::size_t, std::size_t, double u) { return u < 0.5 ? 0.1 : 0.3; }, one}};
}

Operands operands_of(const Data& data, std::int64_t channels, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> chance(0, 1);
  Operands made{Tensor({DType::f32, {1, channels, places}}), Tensor({DType::f32, {filters, channels, 1}}), {}};
  const auto count = static_cast<std::size_t>(channels);
  for (std::size_t i = 0; i < made.x.as<float>().size(); ++i)
    made.x.as<float>()[i] = static_cast<float>(data.x(i / places, count, chance(generator)));
  for (std::size_t i = 0; i < made.w.as<float>().size(); ++i)
    made.w.as<float>()[i] = static_cast<float>(data.w(i % count, count, chance(generator)));
  for (const double least : {0.5, -1.0, -1.0, 0.25}) {
    Tensor& one = made.norm.emplace_back(ir::TensorType{DType::f32, {filters}});
    for (float& number : one.as<float>()) number = static_cast<float>(least + 2 * chance(generator));
  }
  return made;
}

/// The kernel: one chain over the folded filters, its products rounded, and the folded bias behind it.
Tensor folded(const Operands& of) {
  Tensor y({DType::f32, {1, filters, places}});
  const auto channels = static_cast<std::size_t>(of.x.shape()[1]);
  for (std::size_t m = 0; m < filters; ++m) {
    const auto number = [&](std::size_t which) { return static_cast<double>(of.norm[which].as<float>()[m]); };
    const double factor = number(0) / std::sqrt(number(3) + epsilon);
    for (std::size_t p = 0; p < places; ++p) {
      float sum = 0;
      for (std::size_t c = 0; c < channels; ++c) {
        const float product =
            static_cast<float>(of.w.as<float>()[m * channels + c] * factor) * of.x.as<float>()[c * places + p];
        sum += product;
      }
      y.as<float>()[m * places + p] = sum + static_cast<float>(number(1) - number(2) * factor);
    }
  }
  return y;
}

struct Judged {
  compare::Comparison comparison, at_first;
  cases::Settled settled;
  std::uint64_t out_of_range = 0;
};

Judged judge(const Operands& of, const Tensor& got) {
  ref_cpu::CpuExecutor cpu;
  ir::Graph graph;
  std::vector<ir::Value> fed;
  const std::vector<ir::TensorView> inputs = of.views();
  for (std::size_t i = 0; i < inputs.size(); ++i) fed.push_back(graph.input(ir::cat("input ", i), inputs[i].type()));
  const ir::Value sums = graph.add("sums", ir::ops::Conv{}, {fed[0], fed[1]});
  graph.add("norm", ir::ops::BatchNorm{.epsilon = epsilon}, {sums, fed[2], fed[3], fed[4], fed[5]});
  const core::Segment segment = core::segment_of(graph, 1, [&](ir::Value v) { return graph.is_source(v); });
  const std::vector<ir::Sum> published = {{.of = ir::SumName::product, .unit = ir::SumUnit::separate, .levels = {{}}}};
  const bounds::Manner manner{.arithmetic = bounds::safe_arithmetic(published)};
  const bounds::Bounded bounded = bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value v) { return ir::passes::widen(inputs[static_cast<std::size_t>(v)]); }, manner);
  const Tensor& truth = bounded.truth.outputs[0];
  Judged judged;
  judged.at_first = compare::compare(truth, got, bounded.allowed[0]);
  const Subject subject{cpu, segment, inputs, published, manner};
  std::optional<Tensor> native;
  const SettledOutput settled = settle(subject, 0, bounded, got);
  const OutOfRange range = set_out_of_range_apart(subject, 0, truth, settled.allowed, got, native);
  judged.settled = settled.counts;
  judged.out_of_range = range.count;
  judged.comparison = compare::compare(truth, got, range.allowed);
  return judged;
}

TEST(FoldedSum, HoldsForKernelsThatFold) {
  for (const Data& data : kinds_of_data())
    for (const std::int64_t channels : {64, 512, 4092})
      for (const unsigned seed : {1u, 2u, 3u}) {
        const Operands of = operands_of(data, channels, seed);
        const Judged one = judge(of, folded(of));
        EXPECT_TRUE(one.comparison.agrees())
            << data.name << ", " << channels << ", " << seed << ": " << one.comparison.ratio();
      }
}

/// By the terms of the graph these sums are exact, and no order would explain what rounding the folded filters does.
TEST(FoldedSum, HasTheTermsOfTheKernel) {
  const Operands of = operands_of(kinds_of_data()[2], 4092, 1);
  const Judged one = judge(of, folded(of));
  EXPECT_GT(one.at_first.ratio(), 1);
  EXPECT_GT(one.settled.open, 0u);
  EXPECT_EQ(one.settled.wide, 0u);
  EXPECT_LE(one.comparison.ratio(), 0.6);
}

/// Partial sums of terms that alternate stay small, and so does what an element may be off: what is within the limit of
/// the whole tensor, which is for any order, is looked at.
TEST(FoldedSum, SeesWhatTheWholeTensorsLimitLetsIn) {
  const Data alternating{"", [](std::size_t c, std::size_t, double u) { return (c % 2 ? -1 : 1) * (0.9 + 0.2 * u); },
                         [](std::size_t, std::size_t, double) { return 0.7; }};
  const Operands of = operands_of(alternating, 4092, 1);
  const Tensor honest = folded(of);
  EXPECT_LE(judge(of, honest).comparison.ratio(), 0.3);
  Judged one = judge(of, honest);
  for (float off = 1e-6f; one.at_first.ratio() < 0.6; off *= 1.5f) {
    Tensor got = honest;
    for (float& number : got.as<float>()) number += off;
    one = judge(of, got);
  }
  EXPECT_LE(one.at_first.ratio(), 1);
  EXPECT_GT(one.comparison.n_bad, 0u);
}

/// A factor may take a sum out of the range that the host, which has the norm behind the sum, stays in.
TEST(FoldedSum, MayOverflowWhereThoseOfTheGraphDoNot) {
  const auto one = [](std::size_t, std::size_t, double) { return 1.0; };
  for (const bool is_huge : {true, false}) {
    const Data pairs{"", [=](std::size_t c, std::size_t, double) { return (c % 2 ? -1 : 1) * (is_huge ? 3e38 : 1e30); },
                     one};
    Operands of = operands_of(pairs, 8, 1);
    for (float& scale : of.norm[0].as<float>()) scale = 4;
    Tensor got = folded(of);
    EXPECT_EQ(std::isnan(got.as<float>()[0]), is_huge);
    got.as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    const Judged judged = judge(of, got);
    EXPECT_EQ(judged.comparison.agrees(), is_huge);
    EXPECT_EQ(judged.out_of_range, is_huge ? filters * places : 0);
  }
}

}  // namespace
}  // namespace plumb::parity::settle::folded_sum_test
