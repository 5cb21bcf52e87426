#include <algorithm>
#include <cmath>

#include "parity/compare/elements/kernels.hpp"
#include "parity/compare/moments.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/lanes.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::compare::elements {
namespace {

// Numbers are read in blocks, in lanes side by side. What needs more than sums, a new largest error or what is no
// number, is looked for only in the blocks that have it.

constexpr std::size_t block_size = 512, piece_size = 64 * block_size;

using Block = std::array<double, block_size>;  ///< a stretch of a tensor, zeros behind its end

using Load = void (*)(const ir::TensorView&, std::size_t begin, std::size_t count, Block&);

Load load_of(ir::DType dtype) {
  Load load = nullptr;
  ir::visit_float(dtype, [&]<class T>(T) {
    load = [](const ir::TensorView& from, std::size_t begin, std::size_t count, Block& to) {
      const auto numbers = from.as<T>().subspan(begin, count);
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(numbers[i]);
      std::fill(to.begin() + static_cast<std::ptrdiff_t>(count), to.end(), 0.0);
    };
  });
  return load;
}

/// Consecutive numbers of a truth.
struct Stretch {
  const Block& y;
  std::size_t first, count;
  double norm1 = 0, squares = 0, absmax = 0;
  std::uint64_t zeros = 0;
  bool constant = true;  ///< all are `of_all`

  Stretch(const Block& numbers, std::size_t first_index, std::size_t length, double of_all)
      : y(numbers), first(first_index), count(length) {
    const core::f64x8 all = core::f64x8{} + of_all;
    core::f64x8 norm = {}, products = {}, most = {}, value, magnitude;
    core::i64x8 none = {}, others = {};
    for (std::size_t i = 0; i < block_size; i += core::lanes) {
      core::load(value, &y[i]);
      core::set_magnitude(magnitude, value);
      norm += magnitude;
      products += value * value;
      core::raise(most, magnitude);
      none -= value == 0;
      others -= value != all;
    }
    const std::uint64_t padding = block_size - count;
    norm1 = core::sum(norm);
    squares = core::sum(products);
    absmax = core::largest(most);
    zeros = core::count(none) - padding;
    constant = core::count(others) == (of_all == 0 ? 0 : padding);
    if (std::isnan(of_all))
      constant =
          std::all_of(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(count), [](double v) { return v != v; });
  }
};

/// The findings in a piece of one tensor.
class Tally {
 public:
  explicit Tally(const core::FloatFormat& format) : format_(format), spacing_(format) {}

  void add(const Stretch& truth, const Block& c) {
    seen_.n += truth.count;
    seen_.n_zero_expected += truth.zeros;
    seen_.constant &= truth.constant;
    if (add_finite(truth, c)) return;
    for (std::size_t i = 0; i < truth.count; ++i) add_one(truth.y[i], c[i], truth.first + i);
  }

  void absorb(const Tally& next);
  Comparison finish() {
    sums_.describe(seen_);
    return std::move(seen_);
  }

 private:
  bool add_finite(const Stretch& truth, const Block& c);
  void add_one(double y, double c, std::uint64_t index);
  void look_closer(double y, double error, std::uint64_t index);
  void look_closer(const Stretch& truth, const Block& c);

  const core::FloatFormat format_;
  const core::Spacing spacing_;
  Moments sums_;
  Comparison seen_;
};

/// False, and nothing done, where a difference is no number.
bool Tally::add_finite(const Stretch& truth, const Block& c) {
  const double rel = seen_.max_rel.value * (1 - 0x1p-50), ulps = seen_.max_ulp.value * (1 - 0x1p-50);
  core::f64x8 error = {}, error2 = {}, c2 = {}, yc = {}, most = {}, beyond = {}, y, got, abs_error, magnitude, spacing;
  for (std::size_t i = 0; i < block_size; i += core::lanes) {
    core::load(y, &truth.y[i]);
    core::load(got, &c[i]);
    const core::f64x8 d = got - y;
    core::set_magnitude(abs_error, d);
    core::set_magnitude(magnitude, y);
    spacing_.at(spacing, y);
    error += d;
    error2 += d * d;
    c2 += got * got;
    yc += y * got;
    const core::f64x8 beyond_rel = abs_error - rel * magnitude, beyond_ulps = abs_error - ulps * spacing;
    core::raise(most, abs_error);
    core::raise(beyond, beyond_rel);
    core::raise(beyond, beyond_ulps);
  }
  const Moments block{static_cast<double>(truth.count),
                      core::sum(error),
                      core::sum(error2),
                      truth.norm1,
                      truth.squares,
                      core::sum(c2),
                      core::sum(yc)};
  if (!std::isfinite(block.error2) || !std::isfinite(truth.squares)) return false;
  sums_ += block;
  raise(seen_.expected_absmax, truth.absmax);
  const bool is_first = std::isnan(rel) || std::isnan(ulps);
  if (is_first || core::largest(beyond) > 0 || !(core::largest(most) <= seen_.max_abs.value)) look_closer(truth, c);
  return true;
}

/// Raises the extremes, as look_closer() of each does.
void Tally::look_closer(const Stretch& truth, const Block& c) {
  alignas(64) Block abs_errors, relative, ulps;
  const core::f64x8 none = core::f64x8{} - 1;
  core::f64x8 y, got, abs_error, magnitude, spacing;
  for (std::size_t i = 0; i < block_size; i += core::lanes) {
    core::load(y, &truth.y[i]);
    core::load(got, &c[i]);
    const core::f64x8 d = got - y;
    core::set_magnitude(abs_error, d);
    core::set_magnitude(magnitude, y);
    spacing_.at(spacing, y);
    const core::f64x8 quotient = abs_error / magnitude;
    core::store(&abs_errors[i], abs_error);
    core::store(&relative[i], magnitude > 0 ? quotient : none);
    core::store(&ulps[i], abs_error / spacing);
  }
  raise_to_largest(seen_.max_abs, abs_errors, truth.first);
  raise_to_largest(seen_.max_rel, relative, truth.first);
  raise_to_largest(seen_.max_ulp, ulps, truth.first);
}

void Tally::look_closer(double y, double error, std::uint64_t index) {
  const double abs_error = std::abs(error), magnitude = std::abs(y);
  raise(seen_.max_abs, {abs_error, index});
  if (magnitude > 0 && !(abs_error <= seen_.max_rel.value * magnitude * (1 - 0x1p-50)))
    raise(seen_.max_rel, {abs_error / magnitude, index});
  raise(seen_.max_ulp, {abs_error == 0 ? 0 : abs_error / spacing_.at(y), index});
}

void Tally::add_one(double y, double c, std::uint64_t index) {
  if (std::isfinite(y) && std::isfinite(c)) {
    const double d = c - y;
    sums_ += {1, d, d * d, std::abs(y), y * y, c * c, y * c};
    raise(seen_.expected_absmax, std::abs(y));
    return look_closer(y, d, index);
  }
  seen_.n_nan_expected += std::isnan(y);
  seen_.n_nan_got += std::isnan(c);
  seen_.n_inf_expected += std::isinf(y);
  seen_.n_inf_got += std::isinf(c);
  const bool overflows = std::isinf(c) && std::abs(y) >= format_.overflow() && std::signbit(y) == std::signbit(c);
  if (y == c || overflows || (std::isnan(y) && std::isnan(c))) return;
  ++seen_.n_bad;
  ++(std::isnan(y) || std::isnan(c) ? seen_.n_nan_differ : seen_.n_inf_differ);
}

/// Adds the findings in the elements behind these.
void Tally::absorb(const Tally& next) {
  const Comparison& more = next.seen_;
  sums_ += next.sums_;
  seen_.n += more.n;
  seen_.n_bad += more.n_bad;
  seen_.n_zero_expected += more.n_zero_expected;
  seen_.n_nan_expected += more.n_nan_expected;
  seen_.n_nan_got += more.n_nan_got;
  seen_.n_inf_expected += more.n_inf_expected;
  seen_.n_inf_got += more.n_inf_got;
  seen_.n_nan_differ += more.n_nan_differ;
  seen_.n_inf_differ += more.n_inf_differ;
  seen_.constant &= more.constant;
  raise(seen_.max_abs, more.max_abs);
  raise(seen_.max_rel, more.max_rel);
  raise(seen_.max_ulp, more.max_ulp);
  raise(seen_.expected_absmax, more.expected_absmax);
}

/// Measures integers and complex numbers by the comparison of every element.
Comparison measure_others(const ir::TensorView& truth, const ir::TensorView& other, ir::DType dtype) {
  const auto no_limit = Allowed{.rule = Allowed::Rule::within, .absolute = std::numeric_limits<double>::infinity()};
  Comparison all = elements::compare(truth, other, no_limit, {});
  all.n_without_limit = 0;
  if (ir::is_complex(other.dtype())) all.n_bad = all.n_nan_differ + all.n_inf_differ;
  all.worst.clear();
  all.hist_ulp = {};
  all.hist_ratio = {};
  all.ulp_p50 = all.ulp_p99 = all.ulp_p999 = all.ratio_p99 = all.ratio_finite = not_computed;
  if (other.dtype() != dtype) all.max_ulp = {};
  return all;
}

}  // namespace

std::vector<Comparison> measure(const ir::TensorView& truth, std::span<const ir::TensorView> others, ir::DType dtype) {
  std::vector<Comparison> all;
  if (truth.dtype() != ir::DType::f64) {
    for (const ir::TensorView& other : others) all.push_back(measure_others(truth, other, dtype));
    return all;
  }
  for (const ir::TensorView& other : others)
    ir::require(other.shape() == truth.shape() && ir::is_float(other.dtype()), "measured ", other.type(),
                " with a truth ", truth.type());
  const auto y = truth.as<double>();
  const std::size_t pieces = std::max<std::size_t>(1, (y.size() + piece_size - 1) / piece_size);
  std::vector<std::vector<Tally>> found(pieces, std::vector<Tally>(others.size(), Tally(core::float_format(dtype))));
  core::for_each_piece(pieces, core::workers_for(pieces), [&](std::size_t piece, std::size_t) {
    Block expected, got;
    const std::size_t end = std::min(y.size(), (piece + 1) * piece_size);
    for (std::size_t first = piece * piece_size; first < end; first += block_size) {
      const std::size_t count = std::min(block_size, end - first);
      load_of(ir::DType::f64)(truth, first, count, expected);
      const Stretch stretch(expected, first, count, y[0]);
      for (std::size_t k = 0; k < others.size(); ++k) {
        load_of(others[k].dtype())(others[k], first, count, got);
        found[piece][k].add(stretch, got);
      }
    }
  });
  for (std::size_t k = 0; k < others.size(); ++k) {
    for (std::size_t piece = 1; piece < pieces; ++piece) found[0][k].absorb(found[piece][k]);
    all.push_back(found[0][k].finish());
  }
  return all;
}

}  // namespace plumb::parity::compare::elements
