// Looks at the lines of an output: which elements are precise next to their line.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "parity/compare/elements/kernels.hpp"
#include "parity/compare/scan.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/core/lanes.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::compare::elements {
namespace {

/// precise_times for lines below the smallest normal where those are kept: a rounding there is not small next to
/// the line, but an element that agrees would not if it had vanished.
constexpr double precise_subnormal = 2;

/// Looks at the lines of an output one by one.
class Lines {
 public:
  /// Numbers below `least` are subnormal and kept; 0: none are known to be.
  Lines(std::span<const double> truth, const Limit& limit, const Line& line, double least)
      : truth_(truth), limit_(limit), length_(line.length), inner_(line.inner), least_(least) {}

  std::size_t count() const { return truth_.size() / static_cast<std::size_t>(length_); }

  /// How many lines are looked at together, so that the sums of their squares do not wait for each other.
  static constexpr std::size_t together = 4;

  /// Adds what the lines from number `first` on say, at most `together`.
  void look_at(std::size_t first, Telling& telling) const {
    const std::size_t lines = std::min(together, count() - first);
    std::array<std::int64_t, together> begins = {};
    std::array<double, together> squares = {}, finite = {};
    for (std::size_t n = 0; n < lines; ++n) begins[n] = begin_of(first + n);
    if (lines == together)
      sum_squares<together>(begins.data(), squares.data(), finite.data());
    else
      for (std::size_t n = 0; n < lines; ++n) sum_squares<1>(&begins[n], &squares[n], &finite[n]);
    for (std::size_t n = 0; n < lines; ++n)
      look_at_line(begins[n], finite[n] > 0 ? std::sqrt(squares[n] / finite[n]) : 0, telling);
  }

 private:
  std::int64_t begin_of(std::size_t number) const {
    const auto outer = static_cast<std::int64_t>(number) / inner_, within = static_cast<std::int64_t>(number) % inner_;
    return outer * length_ * inner_ + within;
  }

  /// The squares of the finite elements of lines that begin there, and how many these are.
  template <std::size_t lines>
  void sum_squares(const std::int64_t* begins, double* squares, double* finite) const {
    std::array<double, lines> sums = {}, counts = {};
    std::array<const double*, lines> next;
    for (std::size_t n = 0; n < lines; ++n) next[n] = truth_.data() + begins[n];
    for (std::int64_t i = 0; i < length_ * inner_; i += inner_)
#pragma GCC unroll 4
      for (std::size_t n = 0; n < lines; ++n) {
        const double size = std::abs(next[n][i]);
        const bool is_finite = size < std::numeric_limits<double>::infinity();
        sums[n] += is_finite ? size * size : 0;
        counts[n] += is_finite ? 1 : 0;
      }
    std::copy(sums.begin(), sums.end(), squares);
    std::copy(counts.begin(), counts.end(), finite);
  }

  /// `scale`: the rms of what is finite in the line.
  void look_at_line(std::int64_t first, double scale, Telling& telling) const {
    const bool is_subnormal = scale < least_;
    const double loosest = is_subnormal ? loosest_of_subnormals : loosest_of_scale;
    const Bar bar{loosest * scale, is_subnormal ? precise_subnormal : precise_times, scale != 0};
    const std::int64_t done = inner_ == 1 && !limit_.has_apart() ? look_at_eights(first, bar, telling) : 0;
    for (std::int64_t i = done; i < length_; ++i) {
      const auto at = static_cast<std::size_t>(first + i * inner_);
      const double size = std::abs(truth_[at]);
      if (limit_.is_apart(at)) {
        telling.loose += limit_.at(0, at) >= anything;
        continue;
      }
      if (!std::isfinite(size)) continue;
      const double limit = limit_.at(size, at);
      telling.has_precise |= size > bar.precise * limit;
      if (bar.has_scale) ++(limit <= bar.loosest ? telling.informative : telling.loose);
    }
  }

  /// The bar for a line's elements: the loosest limit that says something, how many times its limit a precise element
  /// is at least, and whether the line has a scale.
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
      finite -= is_finite;
      tight -= is_finite & (limit <= loosest);
      are_precise |= is_finite & (size > bar.precise * limit);
    }
    telling.has_precise |= core::count(are_precise) != 0;
    if (bar.has_scale) {
      telling.informative += core::count(tight);
      telling.loose += core::count(finite) - core::count(tight);
    }
    return static_cast<std::int64_t>(count * core::lanes);
  }

  std::span<const double> truth_;
  const Limit& limit_;
  const std::int64_t length_, inner_;
  const double least_;
};

}  // namespace

void tell(std::span<const double> truth, ir::DType dtype, const Allowed& allowed, const Line& line, Telling& telling) {
  const Limit limit(allowed, dtype);
  const bool keeps = allowed.subnormal == 0;
  const double least = keeps ? core::float_format(core::compute_dtype(dtype)).smallest_normal() : 0;
  const Lines lines(truth, limit, line, least);
  const std::size_t pieces = (lines.count() + Lines::together - 1) / Lines::together;
  const std::size_t workers = core::workers_for(pieces);
  std::vector<Telling> found(workers);
  core::for_each_piece(pieces, workers, [&](std::size_t piece, std::size_t worker) {
    lines.look_at(piece * Lines::together, found[worker]);
  });
  for (const Telling& one : found) {
    telling.informative += one.informative;
    telling.loose += one.loose;
    telling.has_precise |= one.has_precise;
  }
}

}  // namespace plumb::parity::compare::elements
