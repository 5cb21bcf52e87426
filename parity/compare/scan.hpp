#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parity/compare/compare.hpp"
#include "parity/compare/distribution.hpp"
#include "parity/compare/moments.hpp"
#include "parity/core/float_format.hpp"

/// The comparison of the elements of one output with the truth, element by element or, where all is finite, in blocks.
namespace plumb::parity::compare {

/// One real number of an element: the truth, the truth rounded to the dtype, what came.
struct Part {
  double y, r, c;
  bool same_bits, near_tie_neighbour;
};

/// How a part was found.
struct Finding {
  bool good = true, finite = false, has_limit = true;
  double error = 0, allowed = 0, certain = 0;

  double ratio() const { return over(allowed); }
  double ratio_certain() const { return over(certain); }

 private:
  double over(double limit) const {
    if (good && error == 0) return 0;
    return limit > 0 && has_limit ? error / limit : std::numeric_limits<double>::infinity();
  }
};

/// Allowed for one dtype, with everything looked up.
class Limit {
 public:
  Limit(const Allowed& allowed, ir::DType dtype);

  double at(double magnitude, std::uint64_t index) const {
    return with(probable.empty() ? 0 : probable[index], magnitude);
  }
  /// The limit that no chance exceeds.
  double certain_at(double magnitude, std::uint64_t index) const {
    return with(certain.empty() ? 0 : certain[index], magnitude);
  }
  bool is_apart(std::uint64_t index) const { return has_apart() && allowed_.limits->apart[index]; }
  bool has_apart() const { return allowed_.limits != nullptr && !allowed_.limits->apart.empty(); }
  bool knows_certain() const { return !certain.empty(); }
  /// Whether it is known which part of the limits is chance, λσ, and that part of an element's.
  bool knows_chance() const { return allowed_.lambda > 0 && (!chance.empty() || !std::isnan(fixed_)); }
  double chance_at(double magnitude, std::uint64_t index) const {
    return (chance.empty() ? probable[index] - fixed_ * magnitude : chance[index]) * allowed_.of_limits;
  }
  /// Makes that part of numbers of several elements: those of `chance` or, without it, of `probable`.
  [[gnu::always_inline]] void set_chance(core::f64x8& numbers, const core::f64x8& magnitude) const {
    if (chance.empty()) numbers -= fixed_ * magnitude;
    numbers *= allowed_.of_limits;
  }

  /// From the limit of an element by itself.
  double with(double of_element, double magnitude) const {
    const double plain = std::max(allowed_.relative * magnitude, allowed_.absolute);
    const double limit = std::max(of_element * allowed_.of_limits + plain, allowed_.ulps * computed_.at(magnitude));
    return limit + allowed_.storage * stored_.at(magnitude) + allowed_.subnormal;
  }

  /// Adds what is allowed to the limits of several elements, in place.
  [[gnu::always_inline]] void with(core::f64x8& limit, const core::f64x8& magnitude) const {
    const core::f64x8 absolute = core::f64x8{} + allowed_.absolute;
    core::f64x8 plain = allowed_.relative * magnitude, spacing;
    plain = plain < absolute ? absolute : plain;
    limit = limit * allowed_.of_limits + plain;
    if (allowed_.ulps > 0) {
      computed_.at(spacing, magnitude);
      spacing *= allowed_.ulps;
      core::raise(limit, spacing);
    }
    stored_.at(spacing, magnitude);
    limit = limit + allowed_.storage * spacing + allowed_.subnormal;
  }

  std::span<const double> probable, certain, chance;  ///< limits by element; empty where one rule serves all

 private:
  const Allowed allowed_;
  double fixed_ = not_computed;
  const core::Spacing computed_, stored_;
};

/// Consecutive elements that are one real number each, zeros behind their end.
struct ScanBlock {
  static constexpr std::size_t size = 512;
  using Numbers = std::array<double, size>;

  std::uint64_t first = 0;
  std::size_t count = 0;
  double first_of_all = 0;  ///< the truth of element 0
  alignas(64) Numbers y, c;
  alignas(64) Numbers r;  ///< the truth rounded; not where the rule is `within`
};

class Scan {
 public:
  Scan(const Allowed& allowed, ir::DType dtype, bool integer, const std::optional<MapExtents>& map = {});

  /// Elements come in the order of their indices, though not all. `first` is the truth of element 0.
  template <std::size_t parts>
  void element(std::uint64_t index, const std::array<Part, parts>& element, const std::array<double, parts>& first);

  /// As element() of each, of real floats; false, and nothing done, where they have to be looked at one by one.
  bool block(const ScanBlock& block);

  /// The sums since they were taken last.
  Moments take_sums() { return std::exchange(total_, {}) += std::exchange(block_, {}); }

  /// Adds another scan's findings in other elements.
  void absorb(const Scan& other);
  Comparison finish(const Moments& sums);

 private:
  struct Row;

  Finding classify(std::uint64_t index, const Part& part, double magnitude) const;
  Finding classify_finite(std::uint64_t index, const Part& part, double magnitude) const;
  void measure(std::uint64_t index, const Part& part, const Finding& found, double magnitude);
  void keep_worst(const Worst& worst, double error);
  template <std::size_t parts>
  void count_element(const std::array<Part, parts>& element, const std::array<double, parts>& first);

  void describe_limit();
  void add_sums(const Moments& sums);
  bool add_within(const ScanBlock& block);
  bool add_equal(const ScanBlock& block);
  void add_truth(const ScanBlock& block);
  void count_ratios(const ScanBlock& block, const Row& row);
  void raise_map(const ScanBlock& block, const Row& row);
  void raise_extremes(const ScanBlock& block, const Row& row);
  void raise_certain(const ScanBlock& block, const Row& row);
  void raise_sigma(const ScanBlock& block, const Row& row);
  void raise_sigma(double error, double allowed, double chance);

  const Allowed allowed_;
  const Limit limit_;
  const core::Spacing spacing_;
  const double overflow_;
  const bool integer_;
  Comparison result_;
  Moments block_, total_;
  Distribution ulps_, ratios_;
  std::optional<MapBuilder> map_;
  std::vector<double> worst_errors_;
};

// Histograms: bin k of ulps holds 2^(k - 39) and up, of ratios 2^(k / 2 - 16.5) and up, the first of each all below.

inline constexpr int ulp_half = Comparison::ulp_bins / 2;

}  // namespace plumb::parity::compare
