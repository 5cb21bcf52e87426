// Estimates of a graph's sources: of what is filled by the fill's own distribution, of what is at hand by looking.
#include "parity/studies/lint/value_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <tuple>
#include <utility>

#include "ir/convert.hpp"
#include "parity/checks/exact/lattice.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::studies::lint {
namespace {

constexpr std::int64_t pool_size = 256;

/// The largest normal number that ops.md B.3 makes: the root of -2 ln 2^-24.
constexpr double largest_normal = 5.768;

std::vector<Drawn> pool_of(const ir::TensorView& x) {
  std::vector<Drawn> pool;
  const std::int64_t count = x.shape().elements(), taken = std::min(count, pool_size);
  ir::visit_any(x.dtype(), [&]<class T>(T) {
    const auto values = x.as<T>();
    for (std::int64_t i = 0; i < taken; ++i) {
      const T value = values[static_cast<std::size_t>(i * count / taken)];
      if constexpr (ir::is_complex(ir::dtype_of<T>))
        pool.push_back({static_cast<double>(value.real()), static_cast<double>(value.imag())});
      else
        pool.push_back({ir::convert_value<double>(value)});
    }
  });
  return pool;
}

/// Least and largest of all finite numbers.
std::pair<double, double> extremes_of(const ir::TensorView& x) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto take = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  ir::visit_any(x.dtype(), [&]<class T>(T) {
    for (const T value : x.as<T>()) {
      if constexpr (ir::is_complex(ir::dtype_of<T>)) {
        if (std::isfinite(value.real())) take(static_cast<double>(value.real()));
        if (std::isfinite(value.imag())) take(static_cast<double>(value.imag()));
      } else if (const double number = ir::convert_value<double>(value); std::isfinite(number)) {
        take(number);
      }
    }
  });
  return low <= high ? std::pair{low, high} : std::pair{0.0, 0.0};
}

/// The dtype in which a fill makes numbers that nothing has rounded yet.
ir::DType unrounded(ir::DType dtype) {
  if (ir::is_float(dtype)) return ir::DType::f64;
  return ir::is_complex(dtype) ? ir::DType::c128 : dtype;
}

bool is_whole(double x) { return x == std::trunc(x); }

std::optional<int> grain_of(const ir::TensorType& type, const ir::Fill& fill) {
  using ir::Distribution;
  if (!ir::is_float(type.dtype) && !ir::is_complex(type.dtype)) return 0;
  const bool makes_whole = fill.distribution == Distribution::uniform_int ||
                           fill.distribution == Distribution::bernoulli ||
                           (fill.distribution == Distribution::range && is_whole(fill.start) && is_whole(fill.delta));
  if (makes_whole) return 0;
  if (fill.distribution == Distribution::constant) return checks::exact::lattice_of(fill.value).grain;
  return std::nullopt;
}

/// The bounds that a fill keeps, and those that so many of its numbers are likely to have.
void set_bounds(ValueEstimate& made, const ir::Fill& fill, double count) {
  using ir::Distribution;
  const auto set = [&](double low, double high) {
    made.low = made.likely_low = std::min(low, high);
    made.high = made.likely_high = std::max(low, high);
  };
  switch (fill.distribution) {
    case Distribution::normal: {
      const double scale = std::abs(fill.scale), likely = std::min(normal_extreme(count), largest_normal) * scale;
      set(fill.mean - largest_normal * scale, fill.mean + largest_normal * scale);
      made.likely_low = fill.mean - likely;
      made.likely_high = fill.mean + likely;
      return;
    }
    case Distribution::uniform: {
      const double end = (fill.high - fill.low) / (count + 1);  // how close to an end the closest number is, by mean
      set(fill.low, fill.high);
      made.likely_low = fill.low + end;
      made.likely_high = fill.high - end;
      return;
    }
    case Distribution::uniform_int:
      return set(fill.low, fill.high - 1);
    case Distribution::bernoulli:
      return set(fill.probability >= 1 ? 1 : 0, fill.probability > 0 ? 1 : 0);
    case Distribution::constant:
      return set(fill.value, fill.value);
    case Distribution::range:
      return set(fill.start, fill.start + fill.delta * std::max(count - 1, 0.0));
    default:
      ir::fail("numbers of this fill depend on more than the fill");
  }
}

}  // namespace

double ValueEstimate::likely_size() const { return std::max(std::abs(likely_low), std::abs(likely_high)); }

double normal_extreme(double count) {
  if (count < 3) return count < 2 ? 1 : 1.2;
  const double root = std::sqrt(2 * std::log(count));
  return root - (std::log(std::log(count)) + std::log(4 * std::acos(-1.0))) / (2 * root) + 0.5772 / root;
}

double stored(double x, ir::DType dtype) {
  if (!std::isfinite(x) || (!ir::is_float(dtype) && !ir::is_complex(dtype))) return x;
  const core::FloatFormat format = core::float_format(dtype);
  if (format.fraction_bits == 52) return x;
  const double spacing = format.ulp(x), most = format.largest();
  return std::clamp(std::nearbyint(x / spacing) * spacing, -most, most);
}

void set_moments(ValueEstimate& estimate) {
  double sum = 0, squares = 0, count = 0;
  for (const Drawn& x : estimate.pool) {
    const double size = std::hypot(x.re, x.im);
    if (!std::isfinite(size)) continue;
    sum += x.re;
    squares += size * size;
    ++count;
  }
  estimate.mean = count > 0 ? sum / count : 0;
  estimate.rms = count > 0 ? std::sqrt(squares / count) : 0;
}

ValueEstimate estimate_of(const ir::TensorType& type, const ir::Fill& fill, const std::string& name) {
  ValueEstimate made{.is_known = true, .grain = grain_of(type, fill)};
  const auto count = static_cast<double>(type.shape.elements());
  set_bounds(made, fill, count);
  if (fill.distribution == ir::Distribution::range) {
    for (std::int64_t i = 0; i < pool_size; ++i)
      made.pool.push_back({fill.start + fill.delta * std::floor(static_cast<double>(i) * count / pool_size)});
  } else {
    const ir::TensorType sample{unrounded(type.dtype), ir::Shape{pool_size}};
    made.pool = pool_of(ir::fill(sample, fill, 1, ir::stream_of(name)));
  }
  // Half of them mirrored: a pool whose mean is off would shift all sums of many terms to one side.
  const double twice_mean = fill.distribution == ir::Distribution::normal ? 2 * fill.mean : fill.low + fill.high;
  if (fill.distribution == ir::Distribution::normal || fill.distribution == ir::Distribution::uniform)
    for (std::size_t i = 0; i + 1 < made.pool.size(); i += 2) {
      const Drawn& x = made.pool[i];
      made.pool[i + 1] = {twice_mean - x.re, ir::is_complex(type.dtype) ? twice_mean - x.im : 0};
    }
  for (Drawn& x : made.pool) x = {stored(x.re, type.dtype), stored(x.im, type.dtype)};
  set_moments(made);
  return made;
}

ValueEstimate estimate_of(const ir::Tensor& numbers, ir::DType dtype) {
  ValueEstimate made{.is_known = true, .pool = pool_of(numbers)};
  std::tie(made.low, made.high) = extremes_of(numbers);
  made.likely_low = made.low;
  made.likely_high = made.high;
  for (Drawn& x : made.pool) x = {stored(x.re, dtype), stored(x.im, dtype)};
  if (made.pool.empty()) made.pool.push_back({});
  set_moments(made);
  const checks::exact::Lattice lattice = checks::exact::lattice_of(numbers);
  if (lattice.finite) made.grain = lattice.grain;
  made.numbers = numbers;
  return made;
}

ValueEstimate estimate_of(const ir::TensorType& type, double low, double high) {
  ValueEstimate made{.is_known = true, .low = low, .high = high, .likely_low = low, .likely_high = high};
  const bool is_real = ir::is_float(type.dtype) || ir::is_complex(type.dtype);
  if (!is_real) made.grain = 0;
  for (std::int64_t i = 0; i < pool_size; ++i) {
    // The order is scattered, so that neighbours are no neighbours in value.
    const double share = (static_cast<double>(i * 97 % pool_size) + 0.5) / static_cast<double>(pool_size);
    const double x = low + (high - low) * share;
    made.pool.push_back({is_real ? stored(x, type.dtype) : std::round(x)});
  }
  set_moments(made);
  return made;
}

ValueEstimate guess_of(const ir::TensorType& type) {
  ValueEstimate made = ir::is_float(type.dtype) || ir::is_complex(type.dtype) ? estimate_of(type, -1.0, 1.0)
                                                                              : estimate_of(type, 0.0, 1.0);
  made.is_known = false;
  return made;
}

}  // namespace plumb::parity::studies::lint
