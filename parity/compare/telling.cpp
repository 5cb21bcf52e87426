// Which elements of an output tell something: precise next to their line, not zero, not infinite.
#include "parity/compare/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "parity/compare/scan.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/core/lanes.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::compare {
namespace {

constexpr double precise = 100, least_informative = 0.05;  // verdict.md V39, V42
constexpr std::int64_t shortest_line = 8;                  // verdict.md V38
/// What holds of lines below the smallest normal where such numbers are kept: a rounding there is not small next to
/// the line, but an element that agrees would not if it had vanished.
constexpr double loosest_of_subnormals = 0.5, precise_subnormal = 2;

/// A truth that is not f64 as sizes of real numbers.
ir::Tensor sizes_of(const ir::TensorView& truth) {
  if (!ir::is_complex(truth.dtype())) return ir::convert(truth, ir::DType::f64);
  ir::Tensor sizes({ir::DType::f64, truth.shape()});
  const ir::Tensor wide = ir::convert(truth, ir::DType::c128);
  std::ranges::transform(wide.as<std::complex<double>>(), sizes.as<double>().begin(),
                         [](const std::complex<double>& y) { return std::abs(y); });
  return sizes;
}

/// Looks at the lines of an output one by one.
class Lines {
 public:
  /// Numbers below `least` are subnormal and kept; 0: none are known to be.
  Lines(std::span<const double> truth, const Limit& limit, const Line& line, double least)
      : truth_(truth), limit_(limit), length_(line.length), inner_(line.inner), least_(least) {}

  std::size_t count() const { return truth_.size() / static_cast<std::size_t>(length_); }

  /// Adds what line `number` says.
  void look_at(std::size_t number, Telling& telling) const {
    const auto outer = static_cast<std::int64_t>(number) / inner_, within = static_cast<std::int64_t>(number) % inner_;
    const std::int64_t first = outer * length_ * inner_ + within;
    double squares = 0, finite = 0;
    for_each(first, [&](std::size_t, double size) {
      if (std::isfinite(size)) squares += size * size, finite += 1;
    });
    const double scale = finite > 0 ? std::sqrt(squares / finite) : 0;
    const bool is_subnormal = scale < least_;
    const double loosest = is_subnormal ? loosest_of_subnormals : loosest_of_scale;
    const Bar bar{loosest * scale, is_subnormal ? precise_subnormal : precise, scale != 0};
    const std::int64_t done = inner_ == 1 && !limit_.has_apart() ? look_at_eights(first, bar, telling) : 0;
    for (std::int64_t i = done; i < length_; ++i) {
      const auto at = static_cast<std::size_t>(first + i * inner_);
      const double size = std::abs(truth_[at]);
      if (!std::isfinite(size) || limit_.is_apart(at)) continue;
      const double limit = limit_.at(size, at);
      telling.has_precise |= size > bar.precise * limit;
      if (bar.has_scale) ++(limit <= bar.loosest ? telling.informative : telling.loose);
    }
  }

 private:
  /// What a line's elements are held to: the loosest limit that says something, how many times it an element has to be
  /// to be precise, and whether the line has a scale.
  struct Bar {
    double loosest, precise;
    bool has_scale;
  };

  /// Looks at as many neighbouring elements as are multiples of eight; how many these are.
  std::int64_t look_at_eights(std::int64_t first, const Bar& bar, Telling& telling) const {
    const auto begin = static_cast<std::size_t>(first), count = static_cast<std::size_t>(length_) / core::lanes;
    const core::f64x8 infinite = core::f64x8{} + std::numeric_limits<double>::infinity();
    const core::f64x8 loosest = core::f64x8{} + bar.loosest;
    core::i64x8 finite = {}, tight = {}, are_precise = {};
    for (std::size_t at = begin; at < begin + count * core::lanes; at += core::lanes) {
      core::f64x8 y, size, limit = {};
      core::load(y, &truth_[at]);
      core::set_magnitude(size, y);
      if (!limit_.probable.empty()) core::load(limit, &limit_.probable[at]);
      limit_.with(limit, size);
      const core::i64x8 is_finite = size < infinite;
      finite -= is_finite, tight -= is_finite & (limit <= loosest);
      are_precise |= is_finite & (size > bar.precise * limit);
    }
    telling.has_precise |= core::count(are_precise) != 0;
    if (bar.has_scale)
      telling.informative += core::count(tight), telling.loose += core::count(finite) - core::count(tight);
    return static_cast<std::int64_t>(count * core::lanes);
  }

  template <class Work>
  void for_each(std::int64_t first, const Work& work) const {
    for (std::int64_t i = 0; i < length_; ++i) {
      const auto at = static_cast<std::size_t>(first + i * inner_);
      work(at, std::abs(truth_[at]));
    }
  }

  std::span<const double> truth_;
  const Limit& limit_;
  const std::int64_t length_, inner_;
  const double least_;
};

double share(std::uint64_t part, std::uint64_t all) { return static_cast<double>(part) / static_cast<double>(all); }

}  // namespace

Line Line::along(const ir::Shape& shape, std::int64_t first, std::int64_t last) {
  const std::size_t from = shape.axis(first), to = shape.axis(last);
  Line line;
  for (std::size_t axis = from; axis < shape.size(); ++axis) (axis <= to ? line.length : line.inner) *= shape[axis];
  return line;
}

Line Line::of_last_axes(const ir::Shape& shape) {
  Line line;
  for (std::size_t axis = shape.size(); axis-- > 0 && line.length < shortest_line;) line.length *= shape[axis];
  return line;
}

Telling telling_of(const ir::TensorView& truth, ir::DType dtype, const Allowed& allowed, const Line& line,
                   const Comparison& known) {
  Telling telling{.elements = known.n, .not_finite = known.n_nan_expected + known.n_inf_expected};
  if (telling.elements == 0) return telling;
  if (ir::unit_roundoff(dtype) == 0 || allowed.rule != Allowed::Rule::within) {
    // Ones are right or wrong, and so are infinities, which such a node was given or selects: masks are made of them. A
    // zero may be what nobody wrote, and every NaN is like every other.
    telling.not_finite = known.n_nan_expected;
    const std::uint64_t definite = telling.elements - std::min(telling.not_finite, telling.elements);
    telling.informative = known.n_zero_expected < definite ? definite : 0;
    telling.has_precise = true;
    return telling;
  }
  const bool is_plain = truth.dtype() == ir::DType::f64;
  const ir::Tensor sizes = is_plain ? ir::Tensor() : sizes_of(truth);
  const Limit limit(allowed, dtype);
  const bool keeps = allowed.subnormal == 0;
  const double least = keeps ? core::float_format(core::compute_dtype(dtype)).smallest_normal() : 0;
  const Lines lines(is_plain ? truth.as<double>() : sizes.as<double>(), limit, line, least);
  const std::size_t workers = core::workers_for(lines.count());
  std::vector<Telling> found(workers);
  core::for_each_piece(lines.count(), workers,
                       [&](std::size_t piece, std::size_t worker) { lines.look_at(piece, found[worker]); });
  for (const Telling& one : found) {
    telling.informative += one.informative, telling.loose += one.loose;
    telling.has_precise |= one.has_precise;
  }
  return telling;
}

std::string Telling::mistrust() const {
  if (elements == 0) return "";
  if (2 * not_finite > elements)
    return fmt::format("{:.3g} % of the truth is not finite", 100 * share(not_finite, elements));
  if (share(informative, elements) < least_informative) {
    if (informative + loose == 0) return "the truth is all zero";
    return fmt::format(
        "only {:.2g} % of the elements say something: the error allowed of {:.3g} % is more than {:.0e} "
        "of their line's rms",
        100 * share(informative, elements), 100 * share(loose, elements), loosest_of_scale);
  }
  if (!has_precise) return fmt::format("no element is more than {} times as large as its limit", precise);
  return "";
}

}  // namespace plumb::parity::compare
