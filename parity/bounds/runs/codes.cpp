// Which codes a quantiser may give whose operands may be off, and whose quotient is rounded.
#include <algorithm>
#include <array>
#include <cmath>

#include "ir/ops/dynamic_quantize_linear.hpp"
#include "ir/ops/quantize_linear.hpp"
#include "parity/bounds/runs/choices.hpp"

namespace plumb::parity::bounds::runs {
namespace {

using ir::ops::QuantizeLinear;

using Ends = std::pair<ir::Tensor, ir::Tensor>;

/// How far a quotient may be off, over itself: not at all where it is a number of the type, as IEEE 754 divides.
constexpr double roundings_of_quotient = 3;

/// Whether x / scale is a number of f32 or, where `is_f64`, of f64.
bool is_exact(double x, double scale, bool is_f64) {
  const double quotient = x / scale;
  if (!std::isfinite(quotient)) return true;
  if (!is_f64 && static_cast<double>(static_cast<float>(quotient)) != quotient) return false;
  return std::fma(quotient, scale, -x) == 0;
}

/// Moves the ends of x as far as rounding the quotient may move that.
void add_roundings(const QuantizeLinear& op, const Wavering& x, const Wavering& scale, double unit, Ends& ends) {
  const auto map = ir::kernels::scale_map(x.truth.shape(), scale.truth.shape(), op.axis, op.block_size);
  const auto truth = x.truth.as<double>(), scales = scale.truth.as<double>();
  const auto low = ends.first.as<double>(), high = ends.second.as<double>();
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto own = static_cast<std::size_t>(map->is_one() ? 0 : (*map)(static_cast<std::int64_t>(i)));
    if (is_exact(truth[i], scales[own], unit < 0x1p-24)) continue;
    low[i] -= roundings_of_quotient * unit * std::abs(low[i]);
    high[i] += roundings_of_quotient * unit * std::abs(high[i]);
  }
}

/// The places of float codes in the order of their numbers, and back; integers are in order as they are.
ir::Tensor ordered(const ir::Tensor& codes, const QuantizeLinear& op) {
  if (op.code == ir::kernels::CodeFormat::integer) return codes;
  const int sign = ir::kernels::small_float(op.code).sign;
  ir::Tensor places({ir::DType::i16, codes.shape()});
  std::ranges::transform(codes.as<std::uint8_t>(), places.as<std::int16_t>().begin(), [&](int code) {
    const int magnitude = code & (sign - 1);
    return static_cast<std::int16_t>((code & sign) != 0 ? -magnitude - 1 : magnitude);
  });
  return places;
}

ir::Tensor codes_at(const ir::Tensor& places, const QuantizeLinear& op) {
  if (op.code == ir::kernels::CodeFormat::integer) return places;
  const int sign = ir::kernels::small_float(op.code).sign;
  ir::Tensor codes({ir::DType::u8, places.shape()});
  std::ranges::transform(places.as<std::int16_t>(), codes.as<std::uint8_t>().begin(),
                         [&](int place) { return static_cast<std::uint8_t>(place < 0 ? sign | (-place - 1) : place); });
  return codes;
}

/// Has float codes of a range be that from the least to the greatest as they are stored: all, where it has both signs.
void order_as_stored(const QuantizeLinear& op, Admissible& codes) {
  if (!codes.is_range || op.code == ir::kernels::CodeFormat::integer) return;
  const int sign = ir::kernels::small_float(op.code).sign;
  const auto low = codes.values[0].as<std::uint8_t>(), high = codes.values[1].as<std::uint8_t>();
  for (std::size_t i = 0; i < low.size(); ++i) {
    if ((low[i] & sign) != (high[i] & sign)) {
      low[i] = 0;
      high[i] = static_cast<std::uint8_t>(2 * sign - 1);
    } else if (low[i] > high[i]) {
      std::swap(low[i], high[i]);
    }
  }
}

/// The codes of a quantiser at the ends of what its operands may be.
Choice between_corners(ir::Executor& reference, const QuantizeLinear& op, std::span<const Ends> ends,
                       const ir::Tensor& truth) {
  Ends found{ordered(truth, op), ordered(truth, op)};
  for (std::size_t corner = 0; corner < std::size_t{1} << ends.size(); ++corner) {
    std::vector<ir::Tensor> given;
    for (std::size_t i = 0; i < ends.size(); ++i)
      given.push_back((corner >> i & 1) != 0 ? ends[i].second : ends[i].first);
    extend(found.first, found.second, ordered(ir::run_op(reference, op, given).front(), op));
  }
  std::vector<bool> open = differs(found.first, found.second);
  if (std::ranges::find(open, true) == open.end()) return {};
  Choice choice;
  choice.extremes = Ends{codes_at(found.first, op), codes_at(found.second, op)};
  Admissible places = between(std::move(found.first), std::move(found.second), std::move(open));
  for (ir::Tensor& one : places.values) one = codes_at(one, op);
  order_as_stored(op, places);
  choice.admissible = std::move(places);
  return choice;
}

/// A number and what else it may be.
struct Interval {
  double low = 0, high = 0;

  Interval widened(double relative) const { return {low - relative * std::abs(low), high + relative * std::abs(high)}; }
};

Ends tensors_of(const Interval& interval) {
  return {ir::Tensor::of<double>({}, {interval.low}), ir::Tensor::of<double>({}, {interval.high})};
}

/// Codes and zero point of a quantiser that finds its scale, which is off by two roundings, and so are they.
std::vector<Choice> found_codes(ir::Executor& reference, const Wavering& x, std::span<const ir::Tensor> truths,
                                double unit) {
  std::vector<Choice> none(truths.size());
  const Ends ends = x.ends();
  Interval least, greatest;
  for (std::size_t i = 0; i < ends.first.as<double>().size(); ++i) {
    const double low = ends.first.as<double>()[i], high = ends.second.as<double>()[i];
    least = {std::min(least.low, low), std::min(least.high, high)};
    greatest = {std::max(greatest.low, low), std::max(greatest.high, high)};
  }
  const Interval width{greatest.low - least.high, greatest.high - least.low};
  if (!(width.low > 0) || !std::isfinite(width.high)) return none;
  const bool is_f64 = unit < 0x1p-24, is_sure = !x.wavers() && is_exact(width.low, 255, is_f64);
  Interval scale{width.low / 255, width.high / 255};
  if (!is_sure) scale = scale.widened(2 * roundings_of_quotient * unit);
  // A zero point and a code are of quotients by a scale that may be off: ties among them are none.
  const QuantizeLinear of_zero{.dtype = ir::DType::u8};
  Interval below{-least.high, -least.low};
  if (!is_sure || !is_exact(below.low, scale.low, is_f64)) below = below.widened(roundings_of_quotient * unit);
  const Ends scales = tensors_of(scale);
  std::vector<Choice> found(truths.size());
  found[2] = between_corners(reference, of_zero, std::array{tensors_of(below), scales}, truths[2]);
  Ends zeros{truths[2], truths[2]};
  if (found[2].extremes) zeros = *found[2].extremes;
  Ends numbers = ends;
  add_roundings({.dtype = ir::DType::u8}, x, {.truth = scales.first}, unit, numbers);
  const QuantizeLinear of_x{.dtype = ir::DType::u8, .has_zero_point = true};
  found[0] = between_corners(reference, of_x, std::array{numbers, scales, zeros}, truths[0]);
  return found;
}

}  // namespace

bool quantizes(const ir::Op& op) { return op.is<QuantizeLinear>() || op.is<ir::ops::DynamicQuantizeLinear>(); }

std::vector<Choice> codes_of(ir::Executor& reference, const ir::Op& op, std::span<const Wavering> operands,
                             std::span<const ir::Tensor> truths, double unit) {
  if (op.is<ir::ops::DynamicQuantizeLinear>()) return found_codes(reference, operands[0], truths, unit);
  const auto& quantizer = op.as<QuantizeLinear>();
  std::vector<Ends> ends;
  for (const Wavering& one : operands) ends.push_back(one.ends());
  add_roundings(quantizer, operands[0], operands[1], unit, ends[0]);
  return {between_corners(reference, quantizer, ends, truths[0])};
}

}  // namespace plumb::parity::bounds::runs
