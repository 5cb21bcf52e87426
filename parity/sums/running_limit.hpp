#pragma once

#include <unordered_map>
#include <vector>

#include "parity/sums/limit_parts.hpp"

namespace plumb::parity::sums {

/// The limits of running sums, element after element of a line: limit_of() and wide_limit() of each, to the bit. Those
/// walk all terms of each element, n² / 2 for a line of n. Here each term is walked once, apart from those that the
/// element's last chunk of the tree has (RunningTree).
class RunningLimit {
 public:
  /// Whether the sums are such that elements have most of their tree in common, and what it does to them: compensated
  /// ones, as kernels of running sums publish them.
  static bool is_known(const Arithmetic& arithmetic);

  /// `terms`: those of the last element, which has all of them.
  RunningLimit(const Arithmetic& arithmetic, double lambda, std::vector<double> terms);
  RunningLimit(const RunningLimit&) = delete;
  RunningLimit& operator=(const RunningLimit&) = delete;

  /// Goes on to the element that is the sum of the first `count` terms, which is not before the one of the last call.
  void go_to(std::int64_t count);

  /// Those of this element.
  const ElementLimit& limit() const { return limit_; }
  double wide_limit() const {
    return std::min(limit_.probable + creep_.last, std::max(limit_.certain, limit_.probable));
  }

  /// How many terms were walked for all elements so far, those of a chunk as often as they were: what this costs.
  std::uint64_t walked() const { return walked_; }

 private:
  void take(double term);
  double multiplicity() const;
  double vanished(double in_tree) const;

  const Arithmetic arithmetic_;
  const double lambda_;
  const std::vector<double> terms_;
  RunningTree tree_;
  Creep creep_;
  LastPlaces places_;
  ElementLimit limit_;
  std::int64_t count_ = 0;
  double total_ = 0, sizes_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity(), lost_ = 0;  ///< as terms may vanish
  std::unordered_map<double, std::int64_t> equals_;                       ///< how often terms occur that are not 0
  double squares_of_counts_ = 0, counted_ = 0;
  std::uint64_t walked_ = 0;
};

}  // namespace plumb::parity::sums
