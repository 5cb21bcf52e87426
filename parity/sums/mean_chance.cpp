#include "parity/sums/mean_chance.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::parity::sums {
namespace {

/// The totals of a sum's terms that the mean over all orders depends on.
struct Totals {
  double sum = 0, squares = 0, sizes = 0;

  void add(double term) {
    sum += term;
    squares += term * term;
    sizes += std::abs(term);
  }
};

/// λσ of so many terms, some of them 0, whose mean roundings follow from these totals; never more than any order gives.
double chance_of(const Totals& of, std::int64_t count, const Arithmetic& arithmetic, double lambda) {
  const Tree tree = arithmetic.tree(count);
  const double u = arithmetic.unit, depth = tree.sizes().depth, K = static_cast<double>(count);
  const bool products_round = arithmetic.additions().products_round;
  const double R2 = tree.alpha() * of.sum * of.sum + tree.beta() * std::max(of.squares - of.sum * of.sum / K, 0.0);
  const double of_products = products_round ? of.squares : 0;
  if (!arithmetic.is_compensated()) return std::min(lambda * u * std::sqrt(R2 + of_products), (K + 1) * u * of.sizes);
  const double second = lambda * u * std::sqrt(depth) * lambda * u * std::sqrt(R2);
  return std::min(std::hypot(second, lambda * u * std::sqrt(of_products)),
                  (depth * u * depth * u + (products_round ? u : 0)) * of.sizes);
}

}  // namespace

std::vector<double> mean_chances(const element::terms::ElementSum& sum, const Arithmetic& of_node, double lambda,
                                 std::int64_t most, std::int64_t more) {
  if (of_node.cut > 0 || !sum.off.empty() || !sum.inner.empty() || sum.moved != 0 || sum.is_rounded) return {};
  const double factor = sum.scale / sum.divisor;
  Totals alone;
  for (const element::terms::Product& term : sum.terms) alone.add(factor * term.value());
  Totals with_added = alone;
  for (const element::terms::Product& term : sum.added) with_added.add(term.value());
  Arithmetic exact = of_node, rounding = of_node;
  exact.exact_products |=
      std::ranges::all_of(sum.terms, [](const element::terms::Product& term) { return term.b == 1; });
  rounding.exact_products = false;
  const auto count = static_cast<std::int64_t>(sum.terms.size());
  std::vector<double> chances;
  const auto add = [&](std::int64_t terms) {
    if (terms == 0) return chances.push_back(0);
    for (const Arithmetic* const arithmetic : {&exact, &rounding})
      for (const Totals& totals : {alone, with_added}) chances.push_back(chance_of(totals, terms, *arithmetic, lambda));
  };
  for (std::int64_t behind = 0; behind <= more; ++behind) {
    add(count + behind);
    if (most > count + more || (most > count && behind > 0)) add(std::max(most, count) + behind);
  }
  return chances;
}

}  // namespace plumb::parity::sums
