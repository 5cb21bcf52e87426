// The limit of one element by its terms: exact sums, roundings along the kernel's tree, creep, terms that vanish.
// Optimised: it loops over elements or terms.
#include "parity/sums/element_limit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "parity/compare/chains.hpp"
#include "parity/core/float_format.hpp"
#include "parity/sums/limit_parts.hpp"
#include "parity/sums/orders.hpp"

namespace plumb::parity::sums {
namespace {

constexpr std::size_t window = 32;  // terms that a unit of which nothing is known adds at once (verdict.md V26)

double sum_of_sizes(std::span<const double> terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0, [](double all, double term) { return all + std::abs(term); });
}

double sum_of_squares(std::span<const double> terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0, [](double all, double term) { return all + term * term; });
}

bool is_exact_in_any_order(std::span<const double> terms, double sizes, const Arithmetic& arithmetic) {
  LastPlaces places;
  for (const double term : terms) places.take(term);
  return places.leave_sums_exact(sizes, 1 - std::ilogb(2 * arithmetic.unit), arithmetic.subnormal);
}

/// The terms as a unit aligns them, by the exponents of factors that count as `least` at least.
double aligned(const element::terms::Product& term, const Arithmetic& arithmetic) {
  const auto raised = [](double x, double least) { return x == 0 ? 0 : std::max(std::abs(x), least); };
  return raised(term.a, arithmetic.least_a) * raised(term.b, arithmetic.least_b);
}

/// Loss of a unit that truncates sums: at every term up to `cut` roundoffs of the larger of the sum so far and a term,
/// here the largest within windows of terms that may be added at once.
double cut_off(const element::terms::ElementSum& sum, const Arithmetic& arithmetic) {
  double so_far = 0, lost = 0;
  for (std::size_t first = 0; first < sum.terms.size(); first += window) {
    const std::size_t last = std::min(first + window, sum.terms.size());
    double most = std::abs(so_far);
    for (std::size_t k = first; k < last; ++k) {
      so_far += sum.terms[k].value();
      most = std::max({most, std::abs(so_far), aligned(sum.terms[k], arithmetic)});
    }
    lost += static_cast<double>(last - first) * most;
  }
  return arithmetic.cut * arithmetic.unit * lost;
}

Creep creep_of(std::span<const double> terms, const Arithmetic& arithmetic) {
  Creep creep(arithmetic);
  for (const double term : terms) creep.take(term);
  return creep;
}

/// The terms before the last so many, and these.
std::pair<std::span<const double>, std::span<const double>> parts_of(std::span<const double> terms, std::size_t last) {
  return {terms.first(terms.size() - last), terms.last(last)};
}

/// Creep of the terms of a sum, and of the sums that are factors of them, whose changes may all have one sign. The
/// published order is that of one sum; the order of the others is not known.
double creep_in(const element::terms::ElementSum& sum, const Arithmetic& arithmetic) {
  const std::vector<double> terms = sum.values();
  double creep = creep_of(terms, arithmetic).last;
  if (!arithmetic.sum)
    creep = std::max(creep, creep_of(std::vector<double>(terms.rbegin(), terms.rend()), arithmetic).last);
  if (const std::size_t last = sum.inner.size(); 0 < last && last < terms.size()) {  // a correction, added up by itself
    const auto [product, correction] = parts_of(terms, last);
    creep = std::max(creep, creep_of(product, arithmetic).last + creep_of(correction, arithmetic).last);
  }
  Arithmetic of_inner = arithmetic;
  of_inner.sum.reset();
  for (std::size_t k = 0; k < sum.inner.size(); ++k)
    creep += std::abs(sum.inner_factors[k]) * creep_in(sum.inner[k], of_inner);
  return std::abs(sum.scale / sum.divisor) * creep;
}

double multiplicity_of(std::span<const double> terms) {
  std::vector<double> sorted;
  for (const double term : terms)
    if (term != 0 && !std::isnan(term)) sorted.push_back(term);
  std::ranges::sort(sorted);
  double squares = 0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto end = std::find_if(first, sorted.end(), [&](double term) { return term != *first; });
    const auto count = static_cast<double>(end - first);
    squares += count * count;
    first = end;
  }
  return sorted.empty() ? 1 : squares / static_cast<double>(sorted.size());
}

Tree::Roundings roundings_of(std::span<const double> terms, const Arithmetic& arithmetic) {
  const Additions additions = arithmetic.additions();
  if (!arithmetic.sum) return largest_roundings(terms, additions);
  if (is_known_order(*arithmetic.sum)) return rearranged_roundings(*arithmetic.sum, terms, additions);
  const Tree::Roundings in_order = Tree::roundings(arithmetic.sum->levels, terms, additions);
  return is_rearranged(*arithmetic.sum) ? larger(in_order, rearranged_roundings(*arithmetic.sum, terms, additions))
                                        : in_order;
}

/// √σ² of the additions.
double deviation(std::span<const double> terms, const Arithmetic& arithmetic) {
  return std::sqrt(roundings_of(terms, arithmetic).variance);
}

/// Loss where numbers below the smallest normal may be flushed to 0: terms that small or with a factor that small, and
/// partial sums that small, or that lost terms may leave so small.
double vanished(const element::terms::ElementSum& sum, std::span<const double> terms, const Arithmetic& arithmetic) {
  const double least = arithmetic.flushed;
  double smallest = std::numeric_limits<double>::infinity(), lost = 0;
  for (const element::terms::Product& term : sum.terms) {
    const double size = std::abs(term.value());
    if (size == 0) continue;
    smallest = std::min(smallest, size);
    if (std::min({size, std::abs(term.a), std::abs(term.b)}) < least) lost += size;
  }
  // Partial sums of larger terms are multiples of numbers above the smallest normal.
  if (!(smallest < least / (arithmetic.unit * arithmetic.unit))) return lost;
  if (lost == 0 || std::isinf(lost) || arithmetic.is_compensated())
    return lost + roundings_of(terms, arithmetic).vanished;
  Arithmetic shifted = arithmetic;  // so that as many partial sums count as may be that small without what is lost
  shifted.flushed += lost;
  return lost + roundings_of(terms, shifted).vanished * (least / shifted.flushed);
}

ElementLimit compensated(std::span<const double> terms, double total, const Arithmetic& arithmetic, double lambda) {
  const Tree tree = arithmetic.tree(static_cast<std::int64_t>(terms.size()));
  Additions of_sums = arithmetic.additions();
  of_sums.products_round = false;  // no second number keeps what a product loses
  return limit_of_compensated({.total = total,
                               .sizes = sum_of_sizes(terms),
                               .squares = arithmetic.additions().products_round ? sum_of_squares(terms) : 0,
                               .multiplicity = multiplicity_of(terms),
                               .depth = tree.sizes().depth,
                               .sigma = std::sqrt(tree.variance(terms, of_sums)),
                               .creep = creep_of(terms, arithmetic).most},
                              arithmetic, lambda);
}

/// The factors of inner sums that have the same terms.
struct Factors {
  double total = 0, squares = 0, sizes = 0;
};

/// By the first of each kind of inner sums.
std::map<std::size_t, Factors> alike(const element::terms::ElementSum& sum) {
  std::map<std::vector<double>, std::size_t> first;
  std::map<std::size_t, Factors> kinds;
  for (std::size_t k = 0; k < sum.inner.size(); ++k) {
    Factors& of = kinds[first.try_emplace(sum.inner[k].values(), k).first->second];
    const double factor = sum.inner_factors[k];
    of.total += factor;
    of.squares += factor * factor;
    of.sizes += std::abs(factor);
  }
  return kinds;
}

}  // namespace

bool is_compensated(const ir::Sum& sum) { return std::ranges::any_of(sum.levels, &ir::SumLevel::compensated); }

bool Arithmetic::is_compensated() const { return sum && sums::is_compensated(*sum); }

Additions Arithmetic::additions() const {
  const bool is_fused = sum && sum->unit == ir::SumUnit::fma;
  return {.unit = unit,
          .subnormal = subnormal,
          .products_round = !exact_products && !is_fused,
          .terms_are_numbers = exact_products || !is_fused,
          .flushed = flushed};
}

Tree Arithmetic::tree(std::int64_t terms) const {
  return Tree(sum ? std::span<const ir::SumLevel>(sum->levels) : std::span<const ir::SumLevel>(), terms,
              additions().terms_are_numbers);
}

ElementLimit limit_of_compensated(const CompensatedSum& sum, const Arithmetic& arithmetic, double lambda) {
  const double u = arithmetic.unit, of_total = u * std::abs(sum.total);
  const bool products_round = arithmetic.additions().products_round;
  const double of_products = products_round ? u * std::sqrt(sum.squares) : 0;
  const double second = u * std::sqrt(sum.multiplicity * sum.depth) * (lambda * sum.sigma + sum.creep);
  return {of_total + lambda * (second + of_products),
          of_total + sum.depth * u * sum.depth * u * sum.sizes + (products_round ? u * sum.sizes : 0), of_total};
}

ElementLimit with_factors(const ElementLimit& additions, const element::terms::ElementSum& sum,
                          const Arithmetic& arithmetic, double lambda) {
  const auto square = [](double x) { return x * x; };
  double squares = square(additions.probable), fixed = square(additions.fixed), certain = additions.certain;
  const auto add = [&](const ElementLimit& one, double factor) {
    squares += square(factor * one.probable);
    fixed += square(factor * one.fixed);
    certain += std::abs(factor) * one.certain;
  };
  for (const double off : sum.off) add({lambda * arithmetic.unit * off, arithmetic.unit * off}, 1);
  Arithmetic of_inner = arithmetic;
  of_inner.sum.reset();  // the record published is that of one sum, and these are others
  // Sums of the same terms have the same error, which their factors may add up to more than chance does.
  for (const auto& [first, factors] : alike(sum)) {
    ElementLimit one = limit_of(sum.inner[first], of_inner, lambda);
    certain += factors.sizes * one.certain;
    one.certain = 0;
    add(one, std::max(std::abs(factors.total), std::sqrt(factors.squares)));
  }
  const double moved = arithmetic.unit * sum.moved;
  return {std::min(std::sqrt(squares), certain) + moved, certain + moved, std::min(std::sqrt(fixed), certain) + moved};
}

double limit_behind(const element::terms::ElementSum& sum, double total, const Arithmetic& arithmetic) {
  double rounded = 0, so_far = total;
  const auto round = [&](double x) {
    const bool may_vanish = x != 0 && std::abs(x) < arithmetic.flushed;
    rounded += may_vanish ? arithmetic.flushed : std::max(arithmetic.unit * std::abs(x), arithmetic.subnormal / 2);
  };
  if (sum.scale != 1) round(so_far *= sum.scale);
  if (sum.divisor != 1) {
    rounded /= std::abs(sum.divisor);  // divides the rounding of the scale as well
    round(so_far /= sum.divisor);
  }
  for (const element::terms::Product& term : sum.added) {
    if (term.a != 1) round(term.value());
    round(so_far += term.value());
  }
  return rounded;
}

ElementLimit limit_of(const element::terms::ElementSum& sum, const Arithmetic& of_node, double lambda) {
  Arithmetic arithmetic = of_node;
  const auto is_no_product = [](const element::terms::Product& term) { return term.b == 1; };
  arithmetic.exact_products |= std::ranges::all_of(sum.terms, is_no_product);
  arithmetic.exact_products &= !sum.is_rounded;
  const std::vector<double> terms = sum.values();
  const double total = std::accumulate(terms.begin(), terms.end(), 0.0), sizes = sum_of_sizes(terms);
  const double factor = std::abs(sum.scale / sum.divisor), of_rest = limit_behind(sum, total, arithmetic);
  const Additions additions = arithmetic.additions();
  ElementLimit limit;
  if (arithmetic.cut > 0) {
    const double lost = cut_off(sum, arithmetic);
    limit = {lost, lost, lost};
  } else if (is_exact_in_any_order(terms, sizes, arithmetic)) {  // and neither does it round the products
    limit = {};
  } else if (arithmetic.is_compensated()) {
    limit = compensated(terms, total, arithmetic, lambda);
  } else {
    const Tree tree = arithmetic.tree(static_cast<std::int64_t>(terms.size()));
    const double roundings = tree.sizes().depth + (additions.products_round ? 1 : 0);
    const double count = tree.sizes().nodes + (additions.products_round ? static_cast<double>(terms.size()) : 0);
    const double certain =
        roundings * arithmetic.unit / (1 - roundings * arithmetic.unit) * sizes + count * arithmetic.subnormal / 2;
    limit = {std::min(lambda * deviation(terms, arithmetic), certain), certain};
  }
  limit = with_factors(limit, sum, arithmetic, lambda);
  if (arithmetic.flushed > 0) {
    const double lost = vanished(sum, terms, arithmetic);
    limit.probable += lost;
    limit.certain += lost;
    limit.fixed += lost;
  }
  return {factor * limit.probable + of_rest, factor * limit.certain + of_rest, factor * limit.fixed + of_rest};
}

double multiplicity(const element::terms::ElementSum& sum) { return multiplicity_of(sum.values()); }

double deviation_of(const element::terms::ElementSum& sum, const Arithmetic& arithmetic) {
  return deviation_of(sum, sum.values(), arithmetic);
}

double deviation_of(const element::terms::ElementSum& sum, std::span<const double> terms,
                    const Arithmetic& arithmetic) {
  const double total = std::accumulate(terms.begin(), terms.end(), 0.0);
  return std::hypot(deviation(terms, arithmetic) * std::abs(sum.scale / sum.divisor),
                    limit_behind(sum, total, arithmetic));
}

std::optional<NeighbourDeviations> deviations_of(const element::terms::Neighbours& neighbours,
                                                 const Arithmetic& arithmetic) {
  static_assert(element::terms::Neighbours::count == Tree::side_by_side);
  if (!arithmetic.sum || is_rearranged(*arithmetic.sum)) return std::nullopt;
  std::vector<double> terms(neighbours.columns.size());
  NeighbourDeviations found;
  compare::multiply_chains({neighbours.row, neighbours.columns}, terms.data(), found.squares, found.smallest);
  found.deviations = Tree::variances(arithmetic.sum->levels, terms, arithmetic.additions());
  for (double& one : found.deviations) one = std::sqrt(one);
  for (double& one : found.squares) one = std::sqrt(one);
  return found;
}

double drift_of(const element::terms::ElementSum& sum, const Arithmetic& arithmetic) {
  return creep_of(sum.values(), arithmetic).change * sum.scale / sum.divisor;
}

double wide_limit(const element::terms::ElementSum& sum, const Arithmetic& arithmetic, double lambda) {
  const ElementLimit limit = limit_of(sum, arithmetic, lambda);
  return std::min(limit.probable + creep_in(sum, arithmetic), std::max(limit.certain, limit.probable));
}

double creep_in_deviations(const element::terms::ElementSum& sum, const Arithmetic& arithmetic) {
  const std::vector<double> terms = sum.values();
  const double sigma = deviation(terms, arithmetic);
  return sigma > 0 ? creep_of(terms, arithmetic).last / sigma : 0;
}

void RangeSoFar::take(double term) {
  (term > 0 ? above_ : below_) += std::abs(term);
  ++count_;
}

bool RangeSoFar::is_beyond(double sum, ir::DType computed) const {
  const double grown = 1 + 2 * static_cast<double>(count_) * ir::unit_roundoff(computed);
  return !(sum * grown < core::float_format(computed).overflow());
}

bool RangeSoFar::overflows_in_some_order(ir::DType computed) const {
  return is_beyond(std::max(above_, below_), computed);
}

bool RangeSoFar::has_sizes_beyond(ir::DType computed) const { return is_beyond(above_ + below_, computed); }

bool RangeSoFar::overflows_to_both_sides(ir::DType computed) const {
  return is_beyond(std::min(above_, below_), computed);
}

RangeSoFar range_of(const element::terms::ElementSum& sum) {
  RangeSoFar range;
  for (const element::terms::Product& term : sum.terms) range.take(term.value());
  return range;
}

bool has_finite_terms(const element::terms::ElementSum& sum) {
  const auto is_finite = [](const element::terms::Product& term) {
    return std::isfinite(term.a) && std::isfinite(term.b);
  };
  return std::ranges::all_of(sum.terms, is_finite) && std::ranges::all_of(sum.added, is_finite);
}

bool overflows_in_some_order(const element::terms::ElementSum& sum, ir::DType computed) {
  return range_of(sum).overflows_in_some_order(computed);
}

}  // namespace plumb::parity::sums
