// Folds in a fixed tree, pairwise over runs of interleaved lanes, so that the error of a sum grows as log n.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/sums.hpp"

namespace plumb::ref_cpu::kernels {

inline constexpr std::int64_t fold_lanes = 32, fold_run = 32 * fold_lanes;

/// item(first) o item(first + step) o ... of `count` items, as a balanced tree of pairs: that of ir::SumJoin::pair, in
/// which item i first meets item i + n / 2, n being the next power of two.
template <class Item, class Combine>
[[gnu::noinline]] auto fold_pairs(std::int64_t first, std::int64_t step, std::int64_t count, const Item& item,
                                  const Combine& combine) {
  if (first + step >= count) return item(first);
  const auto even = fold_pairs(first, 2 * step, count, item, combine);
  return combine(even, fold_pairs(first + step, 2 * step, count, item, combine));
}

/// Terms begin, ..., end - 1, at most fold_run of them, in interleaved partial results, which meet as pairs.
template <class T, class Term, class Combine>
T fold_lanes_of(std::int64_t begin, std::int64_t end, T neutral, const Term& term, const Combine& combine) {
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

/// term(begin) o term(begin + 1) o ... o term(end - 1) for an operation o that is
/// associative up to rounding, with its neutral element. Runs of 1024 terms go into 32
/// interleaved partial results, runs are combined pairwise: the rounding error of
/// a sum grows as log n, and the order depends on end - begin only.
template <class T, class Term, class Combine>
T fold(std::int64_t begin, std::int64_t end, T neutral, const Term& term, const Combine& combine) {
  if (end - begin <= fold_lanes) {
    T folded = neutral;
    for (std::int64_t k = begin; k < end; ++k) folded = combine(folded, term(k));
    return folded;
  }
  if (end - begin <= fold_run) return fold_lanes_of(begin, end, neutral, term, combine);
  const auto run = [&](std::int64_t i) {
    const std::int64_t from = begin + i * fold_run, to = end - from < fold_run ? end : from + fold_run;
    return fold_lanes_of(from, to, neutral, term, combine);
  };
  return fold_pairs(0, 1, (end - begin + fold_run - 1) / fold_run, run, combine);
}

/// How fold adds so many terms, for executors to publish.
inline std::vector<ir::SumLevel> fold_levels(std::int64_t terms) {
  if (terms <= fold_lanes) return {{}};
  const ir::SumLevel lanes{.count = fold_lanes, .take = ir::SumTake::every, .join = ir::SumJoin::pair};
  if (terms <= fold_run) return {{}, lanes};
  return {{.count = fold_run / fold_lanes}, lanes, {.join = ir::SumJoin::pair}};
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
