// Relations of Fourier transforms, line by line, by norms.
#include "parity/checks/relations/transforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "parity/bounds/transform_errors.hpp"
#include "parity/checks/relations/rearrange.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::checks::relations {
namespace {

using Complex = std::complex<long double>;

/// Lines of a tensor of reals or complex numbers, whose elements count so often; no weights: all once.
class Lines {
 public:
  Lines(const ir::Tensor& x, std::size_t axis, std::vector<double> weights = {})
      : numbers_(ir::convert(x, ir::DType::c128)),
        line_(compare::Line::along(x.shape(), static_cast<std::int64_t>(axis), static_cast<std::int64_t>(axis))),
        weights_(std::move(weights)) {}

  std::size_t length() const { return static_cast<std::size_t>(line_.length); }
  std::size_t count() const { return length() == 0 ? 0 : static_cast<std::size_t>(numbers_.elements()) / length(); }
  std::complex<double> at(std::size_t line, std::size_t i) const {
    const auto inner = static_cast<std::size_t>(line_.inner);
    return numbers_.as<std::complex<double>>()[(line / inner * length() + i) * inner + line % inner];
  }

  /// The 2-norm of what `part` has for each place of a line.
  template <class Part>
  long double norm_of(const Part& part) const {
    long double squares = 0;
    for (std::size_t i = 0; i < length(); ++i) {
      const Complex z = part(i);
      squares += (weights_.empty() ? 1 : weights_[i]) * (z.real() * z.real() + z.imag() * z.imag());
    }
    return std::sqrt(squares);
  }
  long double norm(std::size_t line) const {
    return norm_of([&](std::size_t i) { return Complex(at(line, i)); });
  }
  /// Whether all of a line is finite, and none of it so large that some algorithm leaves the range below `largest`.
  bool is_tame(std::size_t line, double largest) const {
    double sizes = 0;
    for (std::size_t i = 0; i < length(); ++i) sizes += (weights_.empty() ? 1 : weights_[i]) * std::abs(at(line, i));
    return sizes < largest;  // nor is it NaN
  }

 private:
  const ir::Tensor numbers_;
  const compare::Line line_;
  const std::vector<double> weights_;
};

/// The totals of one relation over the lines that it was checked on.
struct Found {
  std::uint64_t lines = 0, bad = 0, differ = 0;
  long double ratio = 0, limits = 0, sizes = 0;  ///< sums of squares of limits, and of the numbers they are for

  void add(long double error, long double limit, long double size) {
    ++lines;
    bad += !(error <= limit);
    differ += error != 0;
    ratio = std::max(ratio, error == 0 ? 0 : error / limit);
    limits += limit * limit;
    sizes += size * size;
  }
};

class TransformCheck {
 public:
  TransformCheck(const TransformRun& made, const Transform& how, const cases::RelationResult& blank)
      : made_(made),
        how_(how),
        blank_(blank),
        given_(how.halves_x ? without_ignored(made.x) : made.x),
        x_(given_, how.axis, weights(how.halves_x)),
        y_(made.y, how.axis, weights(how.halves_y)) {
    const ir::DType computed = core::compute_dtype(made.y.dtype());
    const core::FloatFormat format = core::float_format(computed);
    unit_ = ir::unit_roundoff(computed);
    floor_ = made.flushes_subnormals ? format.smallest_normal() : format.ulp(0);
    largest_ = format.overflow() / (4 * static_cast<double>(how.points));
  }

  std::vector<cases::RelationResult> run() {
    parseval();
    add_parts();
    shift();
    turn_back();
    return std::move(results_);
  }

 private:
  std::vector<double> weights(bool is_half) const {
    return is_half ? bounds::half_spectrum_weights(how_.points) : std::vector<double>{};
  }

  /// The imaginary parts of bins that are real are ignored, whatever they are.
  ir::Tensor without_ignored(ir::Tensor x) const {
    const auto bins = bounds::real_bins(how_.points);
    std::size_t inner = 1;
    for (std::size_t a = how_.axis + 1; a < x.shape().size(); ++a) inner *= static_cast<std::size_t>(x.shape()[a]);
    const auto length = static_cast<std::size_t>(x.shape()[how_.axis]);
    ir::visit_complex(x.dtype(), [&]<class T>(T) {
      const auto numbers = x.as<T>();
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (std::ranges::count(bins, static_cast<std::int64_t>(i / inner % length)) > 0) numbers[i].imag(0);
    });
    return x;
  }

  /// The norm that the transform of a line of this norm has, as that of the inverse.
  long double grown(long double norm, double scale) const {
    return scale * std::sqrt(static_cast<long double>(how_.points)) * norm;
  }
  /// Error limit of a transform of a line of this norm, with our own roundings.
  long double limit(long double norm, double scale) const {
    const bounds::TransformFactors factors = bounds::transform_factors(how_.points, scale);
    const double tiny = made_.flushes_subnormals ? 4 * factors.tiny_element : factors.tiny_norm;
    const double least = floor_ * (tiny + std::sqrt(static_cast<double>(how_.points)));
    return (factors.norm * unit_ + 0x1p-60L) * grown(norm, scale) + least;
  }
  long double limit(std::size_t line) const { return limit(x_.norm(line), how_.scale); }

  void parseval() {
    Found found;
    for (std::size_t line = 0; line < x_.count(); ++line) {
      if (!x_.is_tame(line, largest_)) continue;
      const long double expected = grown(x_.norm(line), how_.scale);
      found.add(std::abs(y_.norm(line) - expected), limit(line), expected);
    }
    finish(cases::Relation::parseval, "lines keep their length", found);
  }

  /// The operand as two, that are 0 where the other is not.
  void add_parts() {
    std::vector<std::optional<ir::Tensor>> parts;
    std::vector<Lines> of_x, of_y;
    for (const std::size_t part : {0u, 1u}) {
      const ir::Tensor x = every_other_along(made_.x, how_.axis, part);
      const auto y = made_.run(made_.op, x);
      if (!y) return;
      of_x.emplace_back(how_.halves_x ? without_ignored(x) : x, how_.axis, weights(how_.halves_x));
      of_y.emplace_back(*y, how_.axis, weights(how_.halves_y));
    }
    Found found;
    for (std::size_t line = 0; line < x_.count(); ++line) {
      if (!x_.is_tame(line, largest_)) continue;
      const auto rest = [&](std::size_t i) {
        return Complex(y_.at(line, i)) - Complex(of_y[0].at(line, i)) - Complex(of_y[1].at(line, i));
      };
      long double allowed = limit(line);
      for (const Lines& one : of_x) allowed += limit(one.norm(line), how_.scale);
      found.add(y_.norm_of(rest), allowed, y_.norm(line));
    }
    finish(cases::Relation::linearity, "every other element of a line", found);
  }

  /// The operand of lines and of spectra by a third of a line, that of half spectra by half of one: that turns every
  /// other bin.
  void shift() {
    const std::int64_t n = how_.points, by = how_.halves_x ? n / 2 : std::max<std::int64_t>(1, n / 3);
    if (n < 2 || (how_.halves_x && n % 2 != 0)) return;
    const auto shifted = made_.run(made_.op, how_.halves_x ? turned(made_.x) : rolled(made_.x, by));
    if (!shifted) return;
    const Lines got(*shifted, how_.axis, weights(how_.halves_y));
    Found found;
    for (std::size_t line = 0; line < x_.count(); ++line) {
      if (!x_.is_tame(line, largest_)) continue;
      const auto rest = [&](std::size_t i) {
        const auto place = static_cast<std::int64_t>(i);
        if (how_.halves_x) return Complex(got.at(line, i)) - Complex(y_.at(line, std::size_t((place + by) % n)));
        const long double turns = static_cast<long double>(place * by % n) / static_cast<long double>(n);
        const Complex factor = std::polar(1.0L, -how_.sign * 2 * std::numbers::pi_v<long double> * turns);
        return Complex(got.at(line, i)) - factor * Complex(y_.at(line, i));
      };
      found.add(y_.norm_of(rest), 2 * limit(line), y_.norm(line));
    }
    finish(cases::Relation::shift, fmt::format("by {} of {}", by, n), found);
  }

  void turn_back() {
    const auto back = made_.run(how_.inverse, made_.y);
    if (!back) return;
    const Lines got(*back, how_.axis, weights(how_.halves_x));
    Found found;
    for (std::size_t line = 0; line < x_.count(); ++line) {
      if (!x_.is_tame(line, largest_) || !y_.is_tame(line, largest_)) continue;
      const auto rest = [&](std::size_t i) { return Complex(got.at(line, i)) - Complex(x_.at(line, i)); };
      const long double allowed = limit(y_.norm(line), how_.inverse_scale) + grown(limit(line), how_.inverse_scale);
      found.add(x_.norm_of(rest), allowed, x_.norm(line));
    }
    finish(cases::Relation::round_trip, std::string(how_.inverse.name()), found);
  }

  ir::Tensor rolled(const ir::Tensor& x, std::int64_t by) const {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(how_.points));
    std::iota(positions.begin(), positions.end(), 0);
    std::rotate(positions.begin(), positions.begin() + by, positions.end());
    return taken(x, how_.axis, positions);
  }
  /// Every other bin negated.
  ir::Tensor turned(ir::Tensor x) const {
    std::size_t inner = 1;
    for (std::size_t a = how_.axis + 1; a < x.shape().size(); ++a) inner *= static_cast<std::size_t>(x.shape()[a]);
    const auto length = static_cast<std::size_t>(x.shape()[how_.axis]);
    ir::visit_complex(x.dtype(), [&]<class T>(T) {
      const auto numbers = x.as<T>();
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (i / inner % length % 2 == 1) numbers[i] = -numbers[i];
    });
    return x;
  }

  void finish(cases::Relation relation, std::string how, const Found& found) {
    if (found.lines == 0 || found.sizes == 0) return;
    cases::RelationResult result = blank_;
    result.relation = relation;
    result.how = std::move(how);
    result.bitwise = false;
    result.n = found.lines;
    result.n_bad = found.bad;
    result.n_differ = found.differ;
    result.ratio = static_cast<double>(found.ratio);
    if (found.bad > 0) {
      result.verdict = core::Verdict::failed;
      result.why = fmt::format("{} of {} lines are off, the worst by {:.3g} times its limit", found.bad, found.lines,
                               result.ratio);
    } else if (std::sqrt(found.limits) > compare::loosest_of_scale * std::sqrt(found.sizes)) {
      result.verdict = core::Verdict::mistrusted;
      result.why = "the limits are too wide to prove anything";
    }
    results_.push_back(std::move(result));
  }

  const TransformRun& made_;
  const Transform& how_;
  const cases::RelationResult& blank_;
  const ir::Tensor given_;
  const Lines x_, y_;
  double unit_ = 0, floor_ = 0, largest_ = 0;
  std::vector<cases::RelationResult> results_;
};

}  // namespace

std::vector<cases::RelationResult> check_transform(const TransformRun& made, const Transform& how,
                                                   const cases::RelationResult& blank) {
  return TransformCheck(made, how, blank).run();
}

}  // namespace plumb::parity::checks::relations
