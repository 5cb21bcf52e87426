#pragma once

#include <span>
#include <vector>

#include "parity/core/float_format.hpp"

namespace plumb::parity::judges {

/// How far one column of a state creeps that terms are added to step after step. A state is a multiple of its own last
/// place, so that what a term loses on being added depends on the term alone: equal terms, few different ones and those
/// below half a last place lose it in one direction, which is no matter of chance (verdict.md V23).
///
/// It is followed twice, for products that are rounded before they are added and for those that are not, and is carried
/// along as any error of the state is, S ← (I − beta·kkᵀ)·diag(factors)·S + ….
class Creep {
 public:
  Creep(std::size_t rows, const core::FloatFormat& format);

  void decay(std::span<const double> factors);
  /// The rank-one update: Sᵀk is subtracted `beta` times along the key, and rows come to `value` by key·change. Ties,
  /// terms half way between two places, are not followed where beta is not 0: the rule adds what the state lacks.
  void update(std::span<const double> key, double beta, double change, std::span<const double> value);

  double of_row(std::size_t row) const;
  /// That of Σ rows·x.
  double of_sum(std::span<const double> x) const;

 private:
  void take_known(std::span<const double> key, double beta, std::vector<double>& change) const;

  const core::FloatFormat format_;
  std::vector<double> fused_, separate_;  ///< with signs
  std::vector<double> ties_;              ///< half a last place of each term half way, either way
  std::vector<bool> is_decayed_;          ///< rows whose state was rounded as a product, and is no multiple any more
};

}  // namespace plumb::parity::judges
