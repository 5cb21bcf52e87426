#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb::parity::judges {

/// Rounding errors of one column of a state that is linear in the one before, S ← (I − beta·kkᵀ)·diag(factors)·S + …:
/// the errors of several runs of the same steps are carried along with the truth. Each run has its own signs for the
/// errors that steps add (sign runs, verdict.md V44). Their mean square is the variance of the column's error.
///
/// A rounding depends on the number that is rounded and on nothing else, and so does its sign here: where data are the
/// same step after step, so are the errors, which then add up as they do in a kernel.
class ErrorRuns {
 public:
  static constexpr std::size_t most_runs = 64;

  /// `seed`: columns of other seeds have other signs.
  ErrorRuns(std::size_t rows, std::size_t runs, std::uint64_t seed);

  /// Rows are multiplied by factors, exponentials of `logarithms`, which are off by `of_factors` relatively, and come
  /// to `value`, which is rounded by `unit`.
  void decay(std::span<const double> factors, std::span<const double> logarithms, std::span<const double> of_factors,
             std::span<const double> value, double unit);

  /// The rank-one update: Sᵀk, itself off by `of_known`, is subtracted `beta` times along the key. Rows come to `value`
  /// by changes, each off by `of_changes`, and are rounded by `unit`.
  void update(std::span<const double> key, double beta, double known, double of_known,
              std::span<const double> of_changes, std::span<const double> value, double unit);

  double variance(std::size_t row) const;
  /// That of Σ rows·x.
  double variance(std::span<const double> x) const;

 private:
  /// A sign for each run, of the rounding `place` that makes x.
  std::uint64_t signs(double x, std::uint64_t place) const;

  const std::size_t rows_, runs_;
  const std::uint64_t seed_;
  std::vector<double> errors_;  ///< by row, then by run
  std::vector<double> known_;   ///< by run
};

}  // namespace plumb::parity::judges
