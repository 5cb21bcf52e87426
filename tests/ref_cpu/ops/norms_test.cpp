#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/batch_norm.hpp"
#include "ir/ops/group_norm.hpp"
#include "ir/ops/instance_norm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/log_softmax.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/lrn.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/softmax.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/kernels/exponential.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::norms_test {
namespace {

using ir::DType;
using ir::Tensor;
using namespace ir::ops;
using plumb::testing::check_cpu;
using plumb::testing::random_tensor;

/// y[e] of the tensor's own shape, from a function of the flat index.
template <class Fn>
Tensor made(const ir::Shape& shape, const Fn& fn) {
  Tensor y({DType::f64, shape});
  for (std::size_t e = 0; e < y.as<double>().size(); ++e) y.as<double>()[e] = fn(e);
  return y;
}

TEST(CpuSoftmax, IsTheDefinitionAlongEveryAxis) {
  const ir::Shape shape{3, 37, 5};
  const Tensor x = random_tensor({DType::f64, shape}, 1);
  for (const std::int64_t axis : {0, 1, -1}) {
    const auto lines = ir::along(shape, axis);
    const auto sum_of_line = [&](std::size_t e) {
      const auto i = static_cast<std::int64_t>(e),
                 line = i / lines.inner / lines.length * lines.inner + i % lines.inner;
      double sum = 0;
      for (std::int64_t k = 0; k < lines.length; ++k) sum += std::exp(x.as<double>()[lines.at(line, k)]);
      return sum;
    };
    check_cpu(Softmax{axis}, {x},
              {made(shape, [&](std::size_t e) { return std::exp(x.as<double>()[e]) / sum_of_line(e); })});
    check_cpu(LogSoftmax{axis}, {x},
              {made(shape, [&](std::size_t e) { return x.as<double>()[e] - std::log(sum_of_line(e)); })});
  }
}

TEST(CpuNorms, AreTheDefinitions) {
  const ir::Shape shape{4, 6, 7};
  const Tensor x = random_tensor({DType::f64, shape}, 2), scale = random_tensor({DType::f64, {4, 1, 7}}, 3);
  const Tensor bias = random_tensor({DType::f64, {6, 1}}, 4), channels = random_tensor({DType::f64, {6}}, 5);
  /// (x - center)·r + of elements [first, first + n), of which e is one.
  const auto standard = [&](std::size_t e, std::size_t n, bool centered) {
    const double* const line = &x.as<double>()[e / n * n];
    double mean = 0, square = 0;
    for (std::size_t k = 0; k < n; ++k) mean += centered ? line[k] / static_cast<double>(n) : 0;
    for (std::size_t k = 0; k < n; ++k) square += (line[k] - mean) * (line[k] - mean) / static_cast<double>(n);
    return (line[e % n] - mean) / std::sqrt(square + 0.25);
  };
  const auto a = [&](std::size_t e) { return scale.as<double>()[e / 42 * 7 + e % 7]; };
  const auto b = [&](std::size_t e) { return bias.as<double>()[e / 7 % 6]; };
  check_cpu(LayerNorm{.axis = 1, .epsilon = 0.25}, {x, scale, bias},
            {made(shape, [&](std::size_t e) { return standard(e, 42, true) * a(e) + b(e); })});
  check_cpu(RmsNorm{.epsilon = 0.25, .has_bias = true}, {x, scale, bias},
            {made(shape, [&](std::size_t e) { return standard(e, 7, false) * a(e) + b(e); })});
  check_cpu(GroupNorm{.num_groups = 2, .epsilon = 0.25, .has_bias = false}, {x, channels},
            {made(shape, [&](std::size_t e) { return standard(e, 21, true) * channels.as<double>()[e / 7 % 6]; })});
}

TEST(CpuNorms, OfInferenceAreTheDefinitions) {
  const ir::Shape shape{3, 5, 7};
  const Tensor x = random_tensor({DType::f64, shape}, 12), scale = random_tensor({DType::f64, {5}}, 13);
  const Tensor bias = random_tensor({DType::f64, {5}}, 14), mean = random_tensor({DType::f64, {5}}, 15);
  const ir::Fill positive{.distribution = ir::Distribution::uniform, .low = 0.1, .high = 3};
  const Tensor variance = random_tensor({DType::f64, {5}}, 16, positive);
  const auto at = [&](std::size_t n, std::size_t c, std::size_t k) { return x.as<double>()[(n * 5 + c) * 7 + k]; };
  const auto per = [](const Tensor& t, std::size_t e) { return t.as<double>()[e / 7 % 5]; };
  check_cpu(BatchNorm{.epsilon = 0.25}, {x, scale, bias, mean, variance}, {made(shape, [&](std::size_t e) {
              return (x.as<double>()[e] - per(mean, e)) / std::sqrt(per(variance, e) + 0.25) * per(scale, e) +
                     per(bias, e);
            })});
  /// (mean, mean square) of the elements that `in` says are in the set of element e.
  const auto statistics = [&](const auto& in) {
    double sum = 0, squares = 0, count = 0;
    for (std::size_t o = 0; o < 105; ++o)
      if (in(o)) {
        sum += x.as<double>()[o];
        squares += x.as<double>()[o] * x.as<double>()[o];
        count += 1;
      }
    return std::pair(sum / count, squares / count);
  };
  check_cpu(InstanceNorm{0.25}, {x, scale, bias}, {made(shape, [&](std::size_t e) {
              const auto [m, square] = statistics([e](std::size_t o) { return o / 7 == e / 7; });
              return (x.as<double>()[e] - m) / std::sqrt(square - m * m + 0.25) * per(scale, e) + per(bias, e);
            })});
  check_cpu(MeanVarianceNorm{{0, 2}, 0.25}, {x}, {made(shape, [&](std::size_t e) {
              const auto [m, square] = statistics([e](std::size_t o) { return o / 7 % 5 == e / 7 % 5; });
              return (x.as<double>()[e] - m) / (std::sqrt(square - m * m) + 0.25);
            })});
  check_cpu(Lrn{.size = 4, .alpha = 0.5, .beta = 0.6, .bias = 2}, {x}, {made(shape, [&](std::size_t e) {
              const std::size_t n = e / 35, c = e / 7 % 5, k = e % 7;
              double squares = 0;
              for (std::size_t other = 0; other < 5; ++other)
                if (other + 1 >= c && other <= c + 2) squares += at(n, other, k) * at(n, other, k);
              return x.as<double>()[e] / std::pow(2 + 0.5 / 4 * squares, 0.6);
            })});
  check_cpu(LpNorm{1, 2}, {x}, {made(shape, [&](std::size_t e) {
              const auto of_line = [e](std::size_t o) { return o / 35 == e / 35 && o % 7 == e % 7; };
              return x.as<double>()[e] / std::sqrt(5 * statistics(of_line).second);
            })});
}

TEST(CpuNorms, ThreadsDoNotChangeABit) {
  const Tensor x = random_tensor({DType::f32, {67, 5, 193}}, 6), scale = random_tensor({DType::f32, {193}}, 7);
  for (const ir::Op& op : {ir::Op(Softmax{1}), ir::Op(LogSoftmax{}), ir::Op(LayerNorm{.has_bias = false}),
                           ir::Op(LpNorm{1}), ir::Op(Lrn{.size = 3}), ir::Op(MeanVarianceNorm{{0, 2}}),
                           ir::Op(GroupNorm{.num_groups = 5, .has_scale = false, .has_bias = false})}) {
    const std::vector<Tensor> operands = op.is<LayerNorm>() ? std::vector{x, scale} : std::vector{x};
    std::vector<std::byte> one;
    for (const int threads : {1, 2, 7, 16}) {
      CpuExecutor cpu({.threads = threads});
      const Tensor y = ir::run_op(cpu, op, operands)[0];
      const std::vector<std::byte> bytes(y.bytes().begin(), y.bytes().end());
      if (one.empty()) one = bytes;
      EXPECT_EQ(bytes, one) << op.name() << ", " << threads << " threads";
    }
  }
}

TEST(Exponential, IsWithinAnUlpBelow0) {
  for (std::uint32_t bits = 0x80000000u; bits < 0xC2E00000u; bits += 40009) {  // to -112
    const float x = std::bit_cast<float>(bits), y = kernels::exp_nonpositive(x);
    const double truth = std::exp(static_cast<double>(x));
    const double ulp = truth < 0x1p-126 ? 0x1p-149 : std::ldexp(1.0, std::ilogb(truth) - 23);
    ASSERT_LE(std::abs(y - truth), ulp) << x;
  }
  EXPECT_EQ(kernels::exp_nonpositive(-HUGE_VALF), 0);
  EXPECT_TRUE(std::isnan(kernels::exp_nonpositive(std::nanf(""))));
}

}  // namespace
}  // namespace plumb::ref_cpu::norms_test
