// Optimised: it loops over elements or terms.
#include "parity/sums/tape_limit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parity/core/powers.hpp"
#include "parity/sums/mean_chance.hpp"

namespace plumb::parity::sums {
namespace {

using Kind = element::Step::Kind;

/// Errors of all steps, at the result.
class Roundings {
 public:
  Roundings(const element::Tape& tape, std::uint32_t result, StepArithmetic& arithmetic)
      : tape_(tape), arithmetic_(arithmetic), adjoints_(tape.adjoints(result)), is_exact_(adjoints_.size(), false) {}

  /// False where a step's error is not known.
  bool collect() {
    for (auto at = static_cast<std::uint32_t>(adjoints_.size() - 1); at > 0; --at)
      if (adjoints_[at] != 0 && !take(at)) return false;
    return has_sums_;
  }

  double certain() const { return std::accumulate(steps_.begin(), steps_.end(), most_of_sums_); }

  double probable() {
    std::ranges::sort(steps_);
    double variance = variance_of_sums_, most = std::accumulate(steps_.begin(), steps_.end(), 0.0), least = certain();
    const auto take_least = [&] {
      least = std::min(least, std::max(most, 0.0) + arithmetic_.lambda() * std::sqrt(variance));
    };
    take_least();
    for (const double error : steps_) {
      variance += error * error;
      most -= error;
      take_least();
    }
    return least;
  }

 private:
  bool take(std::uint32_t at) {
    const element::Step& step = tape_[at];
    switch (step.kind) {
      case Kind::total:
        return take_sum(at);
      case Kind::function:
        add(at, 2.0 * step.ulps);
        return true;
      case Kind::multiply:
        if (!is_exact_[at] && !is_power_of_two(step.a) && !is_power_of_two(step.b)) add(at, 1);
        return true;
      case Kind::divide:
        if (!is_exact_[at] && !is_power_of_two(step.b) && !is_pair(step.a)) add(at, 1);
        return true;
      case Kind::add:
      case Kind::behind:
        add(at, 1);
        return true;
      default:
        return true;
    }
  }

  void add(std::uint32_t at, double roundoffs) {
    steps_.push_back(std::abs(adjoints_[at] * tape_[at].value) * roundoffs * arithmetic_.unit());
  }

  bool is_power_of_two(std::uint32_t at) const {
    return tape_[at].kind == Kind::constant && core::is_power_of_two(tape_[at].value);
  }

  /// Whether it is one, or one in other units.
  bool is_operand(std::uint32_t at) const {
    const element::Step& step = tape_[at];
    return step.kind == Kind::operand ||
           (step.kind == Kind::divide && is_power_of_two(step.b) && tape_[step.a].kind == Kind::operand);
  }

  /// Whether a kernel goes on with a mean as two numbers.
  bool is_pair(std::uint32_t at) {
    if (tape_[at].kind != Kind::total || tape_[at].sum != ir::SumName::mean) return false;
    const Arithmetic& arithmetic = arithmetic_.of_sum(ir::SumName::mean, true);
    return arithmetic.sum && !arithmetic.sum->is_rounded;
  }

  bool take_sum(std::uint32_t at) {
    if (!tape_[at].sum) return false;
    has_sums_ = true;
    element::terms::ElementSum sum;
    bool are_operands = true;
    for (std::uint32_t term = tape_[at].a; term != 0; term = tape_[term].a) {
      const std::uint32_t of = tape_[term].b;
      const element::Step& step = tape_[of];
      if (step.kind != Kind::multiply) {
        sum.add(step.value);
        continue;
      }
      is_exact_[of] = true;  // the sum rounds its products
      sum.add(tape_[step.a].value, tape_[step.b].value);
      are_operands &= is_operand(step.a) && is_operand(step.b);
    }
    const Arithmetic& arithmetic = arithmetic_.of_sum(*tape_[at].sum, are_operands);
    if (is_pair(at)) center(sum, tape_[at].value);
    drop_small_terms(sum, arithmetic.unit);
    const auto count = static_cast<std::int64_t>(sum.terms.size());
    const auto chances = mean_chances(sum, arithmetic, arithmetic_.lambda(), count, 0);
    if (chances.empty()) return false;
    const double factor = std::abs(adjoints_[at]), most = certain_of(sum, arithmetic);
    const double sigma = factor * std::min(chances.front(), most) / arithmetic_.lambda();
    most_of_sums_ += factor * most;
    variance_of_sums_ += sigma * sigma;
    return true;
  }

  /// The second number of a mean makes up for what the first loses: what is left is as if the mean were taken off.
  static void center(element::terms::ElementSum& sum, double total) {
    const double mean = total / static_cast<double>(sum.terms.size());
    for (element::terms::Product& term : sum.terms) term.a -= mean;
  }

  /// A term that is less than a roundoff of the largest changes no partial sum that has this: its addition loses no
  /// more than the term, which is nothing beside other errors. So many of them have the weights of a row that one key
  /// rules.
  static void drop_small_terms(element::terms::ElementSum& sum, double unit) {
    double largest = 0;
    for (const element::terms::Product& term : sum.terms) largest = std::max(largest, std::abs(term.value()));
    std::erase_if(sum.terms,
                  [&](const element::terms::Product& term) { return std::abs(term.value()) < unit * largest; });
  }

  static double certain_of(const element::terms::ElementSum& sum, const Arithmetic& of_node) {
    Arithmetic arithmetic = of_node;
    arithmetic.exact_products |=
        std::ranges::all_of(sum.terms, [](const element::terms::Product& term) { return term.b == 1; });
    const double u = arithmetic.unit,
                 depth = arithmetic.tree(static_cast<std::int64_t>(sum.terms.size())).sizes().depth,
                 of_product = arithmetic.additions().products_round ? 1 : 0;
    double sizes = 0;
    for (const element::terms::Product& term : sum.terms) sizes += std::abs(term.value());
    return u * sizes * (of_product + (arithmetic.is_compensated() ? depth * u * depth : depth));
  }

  const element::Tape& tape_;
  StepArithmetic& arithmetic_;
  std::vector<double> adjoints_;
  std::vector<bool> is_exact_;  ///< by step
  std::vector<double> steps_;   ///< errors of single steps
  double most_of_sums_ = 0, variance_of_sums_ = 0;
  bool has_sums_ = false;
};

}  // namespace

const Arithmetic& StepArithmetic::of_sum(ir::SumName name, bool exact_products) {
  const auto found = known_.find({name, exact_products});
  if (found != known_.end()) return found->second;
  return known_.emplace(std::pair(name, exact_products), of_sum_(name, exact_products)).first->second;
}

std::optional<ElementLimit> limit_of(const element::Tape& tape, const element::Real& y, StepArithmetic& arithmetic) {
  if (y.step == 0) return std::nullopt;
  Roundings roundings(tape, y.step, arithmetic);
  if (!roundings.collect()) return std::nullopt;
  const double certain = roundings.certain();
  return ElementLimit{.probable = roundings.probable(), .certain = certain};
}

}  // namespace plumb::parity::sums
