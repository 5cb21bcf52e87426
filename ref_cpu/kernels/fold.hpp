#pragma once

#include <cstdint>

namespace plumb::ref_cpu::kernels {

inline constexpr std::int64_t fold_lanes = 32, fold_run = 32 * fold_lanes;

/// term(begin) o term(begin + 1) o ... o term(end - 1) for an operation o that is
/// associative up to rounding, with its neutral element. Runs of 1024 terms go into 32
/// interleaved partial results, runs are combined pairwise: the rounding error of
/// a sum grows as log n, and the order depends on end - begin only.
template <class T, class Term, class Combine>
T fold(std::int64_t begin, std::int64_t end, T neutral, const Term& term, const Combine& combine) {
  if (end - begin > fold_run) {
    const std::int64_t runs = (end - begin + fold_run - 1) / fold_run, middle = begin + (runs + 1) / 2 * fold_run;
    return combine(fold(begin, middle, neutral, term, combine), fold(middle, end, neutral, term, combine));
  }
  if (end - begin <= fold_lanes) {
    T folded = neutral;
    for (std::int64_t k = begin; k < end; ++k) folded = combine(folded, term(k));
    return folded;
  }
  T partial[fold_lanes];
  for (T& p : partial) p = neutral;
  std::int64_t k = begin;
  for (; k + fold_lanes <= end; k += fold_lanes)
    for (std::int64_t lane = 0; lane < fold_lanes; ++lane) partial[lane] = combine(partial[lane], term(k + lane));
  for (std::int64_t lane = 0; k < end; ++k, ++lane) partial[lane] = combine(partial[lane], term(k));
  for (std::int64_t half = fold_lanes / 2; half > 0; half /= 2)
    for (std::int64_t lane = 0; lane < half; ++lane) partial[lane] = combine(partial[lane], partial[lane + half]);
  return partial[0];
}

/// The sum of term(k) over 0 <= k < n.
template <class Term>
auto sum(std::int64_t n, const Term& term) {
  using T = decltype(term(std::int64_t{0}));
  return fold(0, n, T{}, term, [](T a, T b) { return static_cast<T>(a + b); });
}

/// The largest x[k], 0 <= k < n; -inf when n is 0. A NaN may or may not win.
template <class T>
T largest(const T* x, std::int64_t n, T lowest) {
  return fold(
      0, n, lowest, [x](std::int64_t k) { return x[k]; }, [](T a, T b) { return a > b ? a : b; });
}

}  // namespace plumb::ref_cpu::kernels
