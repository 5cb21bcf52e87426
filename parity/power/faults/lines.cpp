// Statistics of lines: softmax and norms.

#include <cmath>
#include <limits>

#include "ir/ops/layer_norm.hpp"
#include "ir/ops/log_softmax.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {
namespace {

/// The axis of softmax or log_softmax; nothing for other ops.
std::optional<std::int64_t> softmax_axis(const Site& site) {
  if (const auto* op = site.as<ir::ops::Softmax>()) return op->axis;
  if (const auto* op = site.as<ir::ops::LogSoftmax>()) return op->axis;
  return {};
}

/// Σ without its last term: y / (1 - y_last), or the logarithm of that.
std::optional<Numbers> softmax_extent(const Site& site) {
  const auto axis = softmax_axis(site);
  if (!axis || site.elements() == 0) return {};
  const ir::Lines lines = ir::along(site.type.shape, *axis);
  const bool is_logarithm = site.as<ir::ops::LogSoftmax>() != nullptr;
  Numbers faulty = site.truth;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    const double last = site.truth[lines.at(line, lines.length - 1)];
    const double rest = 1 - (is_logarithm ? std::exp(last) : last);
    for (std::int64_t k = 0; k < lines.length; ++k) {
      double& y = faulty[lines.at(line, k)];
      y = is_logarithm ? y - std::log(rest) : y / rest;
    }
  }
  return site.carried(std::move(faulty));
}

/// exp(x) without the maximum taken off: f32 overflows or underflows. Lines that it does not
/// happen to stay as they are.
std::optional<Numbers> unshifted_maximum(const Site& site) {
  const auto axis = softmax_axis(site);
  if (!axis || site.type.dtype == ir::DType::f64) return {};
  const Numbers x = numbers_of(site.operands.front().now);
  const ir::Lines lines = ir::along(site.type.shape, *axis);
  Numbers faulty = site.got;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    float sum = 0;
    for (std::int64_t k = 0; k < lines.length; ++k) sum += std::exp(static_cast<float>(x[lines.at(line, k)]));
    if (std::isnormal(sum)) continue;
    for (std::int64_t k = 0; k < lines.length; ++k) {
      const float y = std::exp(static_cast<float>(x[lines.at(line, k)])) / sum;
      faulty[lines.at(line, k)] = site.as<ir::ops::LogSoftmax>() != nullptr ? std::log(y) : y;
    }
  }
  return faulty;
}

/// Mean and variance that a norm uses for a line, and the factor that a fault puts on its inverse deviation.
struct Statistics {
  double mean = 0, variance = 0, factor = 1;
};

/// A norm of lines of neighbouring elements.
struct Norm {
  std::int64_t axis;
  double epsilon;
  bool is_centred;

  Statistics of(const double* x, std::int64_t count) const {
    Statistics found;
    if (is_centred) {
      for (std::int64_t k = 0; k < count; ++k) found.mean += x[k];
      found.mean /= static_cast<double>(count);
    }
    for (std::int64_t k = 0; k < count; ++k) found.variance += (x[k] - found.mean) * (x[k] - found.mean);
    found.variance /= static_cast<double>(count);
    return found;
  }

  double inverse(double variance) const { return 1 / std::sqrt(variance + epsilon); }
};

std::optional<Norm> norm_of(const Site& site) {
  if (site.output != 0 || site.elements() == 0) return {};
  if (const auto* norm = site.as<ir::ops::LayerNorm>()) return Norm{norm->axis, norm->epsilon, true};
  if (const auto* norm = site.as<ir::ops::RmsNorm>()) return Norm{norm->axis, norm->epsilon, false};
  return {};
}

/// The norm with other statistics. With y = (x - μ) r scale + bias the bias is what is left of y where x is μ, and
/// the scale the rest of it: read off two evaluations, one of them without the bias.
template <class Wrong>
std::optional<Numbers> with_statistics(const Site& site, Wrong wrong) {
  const auto norm = norm_of(site);
  if (!norm) return {};
  Numbers without_bias = site.truth;
  if (const auto bias = site.operand("bias")) {
    auto inputs = site.inputs();
    inputs[*bias] = ir::Tensor(inputs[*bias].type());
    without_bias = site.truth_of(inputs);
  }
  const Numbers x = numbers_of(site.operands.front().now);
  const std::int64_t length = ir::lines_from(site.type.shape, norm->axis).length;
  Numbers faulty = site.truth;
  for (std::size_t first = 0; first < x.size(); first += static_cast<std::size_t>(length)) {
    const Statistics right = norm->of(&x[first], length), other = wrong(*norm, &x[first], length);
    const double change = other.factor * norm->inverse(other.variance) / norm->inverse(right.variance);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(length); ++i) {
      const double centred = x[i] - right.mean;
      if (centred == 0) continue;
      faulty[i] += without_bias[i] * ((x[i] - other.mean) / centred * change - 1);
    }
  }
  return site.carried(std::move(faulty));
}

std::optional<Numbers> norm_extent(const Site& site) {
  return with_statistics(site, [](const Norm& norm, const double* x, std::int64_t n) {
    return n < 2 ? norm.of(x, n) : norm.of(x, n - 1);
  });
}

/// E[x²] - E[x]² in f32, which ops.md 1.7 forbids: it cancels where the mean is large.
std::optional<Numbers> one_pass_variance(const Site& site) {
  if (site.as<ir::ops::LayerNorm>() == nullptr || site.type.dtype == ir::DType::f64) return {};
  return with_statistics(site, [](const Norm&, const double* x, std::int64_t n) {
    float sum = 0, squares = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const auto value = static_cast<float>(x[k]);
      sum += value;
      squares += value * value;
    }
    const float mean = sum / static_cast<float>(n), variance = squares / static_cast<float>(n) - mean * mean;
    return Statistics{mean, variance};
  });
}

/// An inverse square root as the hardware estimates it, without a step of Newton's.
std::optional<Numbers> rsqrt_12_bits(const Site& site) {
  const auto off = [](double x) { return 1 + noise(x) * 0x1p-12; };
  if (const auto* op = site.as<ir::ops::Unary>(); op != nullptr && op->function == ir::ops::UnaryFunction::rsqrt) {
    Numbers faulty = site.truth;
    for (double& y : faulty) y *= off(y);
    return site.carried(std::move(faulty));
  }
  return with_statistics(site, [&](const Norm& norm, const double* x, std::int64_t n) {
    Statistics found = norm.of(x, n);
    found.factor = off(found.variance);
    return found;
  });
}

/// A mean that goes on as one f32, which a line far from zero needs two for.
std::optional<Numbers> rounded_mean(const Site& site) {
  if (site.as<ir::ops::LayerNorm>() == nullptr || site.type.dtype == ir::DType::f64) return {};
  return with_statistics(site, [](const Norm& norm, const double* x, std::int64_t n) {
    Statistics found = norm.of(x, n);
    const double exact = found.mean;
    found.mean = static_cast<float>(exact);
    found.variance += (exact - found.mean) * (exact - found.mean);
    return found;
  });
}

constexpr Fault of_lines[] = {
    {"softmax_extent", "the sum of a line is without its last term", "softmax, log_softmax", true, softmax_extent},
    {"unshifted_maximum", "the maximum of a line is not taken off", "softmax, log_softmax of lines that overflow f32",
     true, unshifted_maximum},
    {"norm_extent", "mean and variance are without the last element of a line", "layer_norm, rms_norm", true,
     norm_extent},
    {"rsqrt_12_bits", "an inverse square root has 12 bits", "layer_norm, rms_norm, rsqrt", true, rsqrt_12_bits},
    {"rounded_mean", "the mean is rounded to f32 before it is taken off", ir::ops::LayerNorm::name, false,
     rounded_mean},
    {"one_pass_variance", "the variance is the mean square less the squared mean, in f32", ir::ops::LayerNorm::name,
     false, one_pass_variance},
};

}  // namespace

std::span<const Fault> faults_of_lines() { return of_lines; }

}  // namespace plumb::parity::power::faults
