// Probes functions of one element: the largest error in ulps over all 16-bit floats, or a sample of f32.
#include "parity/profile/probe/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ir/raw/philox.hpp"
#include "parity/core/float_format.hpp"
#include "parity/profile/probe/one_op.hpp"

namespace plumb::parity::profile::probe {
namespace {

constexpr int per_binade = 128;  // for each sign
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
std::vector<double> every_finite() {
  std::vector<double> all;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto x = static_cast<double>(T::from_bits(static_cast<std::uint16_t>(bits)));
    if (std::isfinite(x)) all.push_back(x);
  }
  return all;
}

/// The float next to x, and its neighbours.
void add_around(std::vector<double>& all, double x, int each_side) {
  float down = static_cast<float>(x), up = down;
  for (int i = 0; i <= each_side; ++i) {
    for (const float y : {down, up, -down, -up})
      if (std::isfinite(y)) all.push_back(static_cast<double>(y));
    down = std::nextafter(down, -std::numeric_limits<float>::infinity());
    up = std::nextafter(up, std::numeric_limits<float>::infinity());
  }
}

std::vector<double> sampled_f32() {
  std::vector<double> all;
  std::uint64_t drawn = 0;
  for (int exponent = -149; exponent <= 127; ++exponent)
    for (int i = 0; i < per_binade; ++i) {
      const ir::raw::PhiloxWords words = ir::raw::philox_block(3, 0, 0, drawn++);
      const float x = std::ldexp(1.0f + std::ldexp(static_cast<float>(words[0] >> 9), -23), exponent);
      all.push_back(static_cast<double>(x));
      all.push_back(-static_cast<double>(x));
    }
  for (int k = 1; k <= 4096; ++k) add_around(all, k * std::numbers::pi / 2, 1);
  for (int e = 12; e < 120; ++e) add_around(all, std::ldexp(std::numbers::pi, e), 2);
  for (int k = 0; k <= 100; ++k) add_around(all, k / 2.0, 2);
  for (const double at : {0.0, 1.0, std::numbers::e, std::numbers::ln2, 0x1p-126, 0x1p23, 0x1p24, 0x1.fffffep127})
    add_around(all, at, 64);
  // exp, expm1, sinh, cosh, sigmoid, softplus, tanh: where they overflow, vanish or saturate
  for (const double at : {88.7228, 89.416, 87.3365, 103.972, 104.0, 17.3287, 16.6355, 9.0109, 3.92, 5.5, 13.0, 15.0})
    add_around(all, at, 64);
  return all;
}

/// The distance in ulps of the dtype that holds |got| and |truth|: inf where only one is finite or a number.
double error_in_ulps(double truth, double got, const core::FloatFormat& format, double allowance) {
  if (std::isnan(truth) || std::isnan(got)) return std::isnan(truth) == std::isnan(got) ? 0 : infinity;
  if (std::abs(truth) >= format.overflow()) truth = std::copysign(infinity, truth);
  if (truth == got) return 0;
  if (std::isinf(truth) || std::isinf(got)) return infinity;
  return std::max(std::abs(got - truth) - allowance, 0.0) / format.ulp(truth);
}

ir::Tensor tensor_of(const std::vector<double>& operands) {
  return ir::Tensor::of<double>({static_cast<std::int64_t>(operands.size())}, operands);
}

class FunctionInquiry final : public Finding<ir::Tensor> {
 public:
  FunctionInquiry(bool is_host, ir::ops::UnaryFunction function, ir::DType dtype, const std::vector<double>& operands)
      : function_(function), dtype_(dtype), operands_(operands), is_host_(is_host) {}

  std::vector<core::Trial> ask() override {
    std::vector<core::Trial> trials;
    if (!std::exchange(has_asked_, true))
      trials.push_back(trial_of(ir::ops::Unary{function_}, {ir::convert(tensor_of(operands_), dtype_)}));
    return trials;
  }
  void hear(std::vector<core::TrialEnd> ends) override { computed_ = output_of(ends.at(0), is_host_); }
  std::optional<ir::Tensor> found() const override { return computed_; }

 private:
  const ir::ops::UnaryFunction function_;
  const ir::DType dtype_;
  const std::vector<double>& operands_;
  const bool is_host_;
  bool has_asked_ = false;
  std::optional<ir::Tensor> computed_;
};

}  // namespace

std::vector<double> function_operands(ir::DType dtype) {
  if (dtype == ir::DType::f16) return every_finite<ir::f16>();
  if (dtype == ir::DType::bf16) return every_finite<ir::bf16>();
  ir::require(dtype == ir::DType::f32, "functions of ", dtype, " are not sampled");
  return sampled_f32();
}

std::unique_ptr<Finding<ir::Tensor>> inquire_function(bool is_host, ir::ops::UnaryFunction function, ir::DType dtype,
                                                      const std::vector<double>& operands) {
  return std::make_unique<FunctionInquiry>(is_host, function, dtype, operands);
}

std::optional<FunctionError> probe_function(ir::Executor& executor, bool is_host, ir::Executor& reference,
                                            ir::ops::UnaryFunction function, const SubnormalHandling& handling,
                                            const std::vector<double>& operands) {
  const auto computed =
      settled(*inquire_function(is_host, function, handling.dtype, operands), core::one_by_one(executor));
  if (!computed) return std::nullopt;
  return function_error(*computed, reference, function, handling, operands);
}

FunctionError function_error(const ir::Tensor& computed, ir::Executor& reference, ir::ops::UnaryFunction function,
                             const SubnormalHandling& handling, const std::vector<double>& operands) {
  const std::vector<ir::Tensor> truth = ir::run_op(reference, ir::ops::Unary{function}, {tensor_of(operands)});
  const ir::Tensor got = ir::convert(computed, ir::DType::f64);
  const core::FloatFormat format = core::float_format(handling.dtype);
  const auto is_below = [&](double x) { return x != 0 && std::abs(x) < format.smallest_normal(); };
  const double allowance = handling.out != Subnormals::kept ? format.smallest_normal() : 0;  // ops.md 1.5
  FunctionError worst{.function = std::string(ir::enum_name(function)), .dtype = handling.dtype};
  worst.exhaustive = handling.dtype != ir::DType::f32;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const double y = truth.at(0).as<double>()[i];
    if (handling.in != Subnormals::kept && is_below(operands[i])) continue;
    if (handling.out != Subnormals::kept && is_below(y)) continue;
    ++worst.samples;
    const double error = error_in_ulps(y, got.as<double>()[i], format, allowance);
    if (!(error <= worst.max_ulp)) {
      worst.max_ulp = error;
      worst.at = operands[i];
    }
  }
  return worst;
}

}  // namespace plumb::parity::profile::probe
