// Sums of neighbours side by side, with what their additions may be off.
#include "parity/compare/elements/chains.hpp"

#include <limits>

#include "parity/compare/elements/kernels.hpp"

namespace plumb::parity::compare::elements {
namespace {

constexpr std::size_t registers = chains_at_once / core::lanes;
using Wide = std::array<core::f64x8, registers>;

[[gnu::always_inline]] inline void load(Wide& to, const double* from) {
  for (std::size_t r = 0; r < registers; ++r) core::load(to[r], from + r * core::lanes);
}
[[gnu::always_inline]] inline void store(double* to, const Wide& from) {
  for (std::size_t r = 0; r < registers; ++r) core::store(to + r * core::lanes, from[r]);
}

/// The smaller size, of those that are not 0.
[[gnu::always_inline]] inline void lower(core::f64x8& smallest, const core::f64x8& x) {
  const core::f64x8 infinite = core::f64x8{} + std::numeric_limits<double>::infinity();
  core::f64x8 size;
  core::set_magnitude(size, x);
  size = size == 0 ? infinite : size;
  smallest = size < smallest ? size : smallest;
}

}  // namespace

void multiply_chains(const ProductsSideBySide& of, double* products, SideBySide& squares, SideBySide& smallest) {
  Wide all = {}, least;
  for (core::f64x8& one : least) one = core::f64x8{} + std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < of.row.size(); ++k) {
    const core::f64x8 a = core::f64x8{} + of.row[k];
    Wide b;
    load(b, &of.columns[k * chains_at_once]);
    for (std::size_t r = 0; r < registers; ++r) {
      const core::f64x8 product = a * b[r];
      core::store(products + k * chains_at_once + r * core::lanes, product);
      all[r] += product * product;
      lower(least[r], a);
      lower(least[r], b[r]);
      lower(least[r], product);
    }
  }
  store(squares.data(), all);
  store(smallest.data(), least);
}

void add_chains(const ChainRules& rules, const double* terms, std::size_t step, std::size_t count, Chains& chains) {
  const ChainRules by = rules;
  Wide sums, variances, vanished, term;
  load(sums, terms);
  load(variances, chains.variances.data());
  load(vanished, chains.vanished.data());
  if (!by.are_numbers)
    for (std::size_t r = 0; r < registers; ++r) {
      core::f64x8 size;
      core::set_magnitude(size, sums[r]);
      note_rounding(by, sums[r], size, false, variances[r], vanished[r]);
    }
  for (std::size_t k = 1; k < count; ++k) {
    load(term, terms + k * step * chains_at_once);
    for (std::size_t r = 0; r < registers; ++r) join(by, sums[r], term[r], by.are_numbers, variances[r], vanished[r]);
  }
  store(chains.sums.data(), sums);
  store(chains.variances.data(), variances);
  store(chains.vanished.data(), vanished);
}

void add_roundings_of_products(const ChainRules& rules, const double* terms, std::size_t count, Chains& chains) {
  Wide variances, term;
  load(variances, chains.variances.data());
  const core::f64x8 least = core::f64x8{} + rules.least;
  for (std::size_t k = 0; k < count; ++k) {
    load(term, terms + k * chains_at_once);
    for (std::size_t r = 0; r < registers; ++r) {
      core::f64x8 off;
      core::set_magnitude(off, term[r]);
      off *= rules.unit;
      off = off < least ? least : off;
      variances[r] += off * off;
    }
  }
  store(chains.variances.data(), variances);
}

}  // namespace plumb::parity::compare::elements
