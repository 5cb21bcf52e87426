// Logarithms of sums. A sum that cancels may be off by more than half of itself: its logarithm may then be anything, a
// NaN and an infinity among them, which limits of finite elements cannot say (verdict.md V32).
#include "ir/ops/reduce.hpp"

#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/parallel.hpp"
#include "parity/judges/limits.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::Reduce, ir::ops::ReduceFunction;

/// A sum of finite doubles without error until it is rounded: numbers that do not overlap carry all of it (Shewchuk
/// 1997, grow-expansion). What is left where large terms cancel is all there.
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const double y = parts_[i], sum = x + y, of_y = sum - x, low = (x - (sum - of_y)) + (y - of_y);
      if (low != 0) parts_[kept++] = low;
      x = sum;
    }
    parts_.resize(kept);
    if (x != 0) parts_.push_back(x);
  }
  double rounded() const {
    double sum = 0;
    for (const double part : parts_) sum += part;  // the smallest first
    return sum;
  }

 private:
  std::vector<double> parts_;
};

/// Sums over the terms of one element: of the terms, of their sizes and of their squares.
struct Line {
  double sum = 0, sizes = 0, squares = 0;
};

Line line_of(const element::terms::ElementSum& terms) {
  Line line;
  ExactSum exact;
  for (const element::terms::Product& term : terms.terms) {
    line.sizes += std::abs(term.a);
    line.squares += term.a * term.a;
    if (std::isfinite(line.sizes)) exact.add(term.a);
  }
  line.sum = exact.rounded();
  return line;
}

/// Elements of one output, one by one.
class LogSums {
 public:
  LogSums(const Question& question, const element::terms::Walker& walker)
      : question_(question),
        walker_(walker),
        wide_(ir::passes::widen(question.segment.graph)),
        builder_(wide_),
        node_{builder_,
              question.op(),
              {},
              {},
              0,
              {question.in_type(0)},
              {question.out_type(0)},
              question.manner.arithmetic,
              question.manner.flushes_subnormals},
        arithmetic_(bounds::sum_arithmetic(node_, true)),
        unit_(node_.unit()),
        got_(ir::convert(question.got[0], ir::DType::f64)),
        limited_(question.truth.outputs[0].shape()),
        apart_(static_cast<std::size_t>(limited_.truth.elements())) {
    limited_.truth = question.truth.outputs[0];
    limited_.chance.emplace(limited_.truth.type());
  }

  OutputJudgement judge() {
    core::for_each_piece(apart_.size(), core::workers_for(apart_.size()),
                         [&](std::size_t i, std::size_t) { judge(i); });
    compare::Limits own{ir::Tensor(limited_.truth.type()), ir::Tensor({ir::DType::f64, {0}})};
    for (std::size_t i = 0; i < apart_.size(); ++i)
      own.probable.as<double>()[i] = 2 * ir::unit_roundoff(ir::DType::f64) * (1 + std::abs(truth()[i]));
    compare::Limits limits{std::move(limited_.probable), std::move(limited_.certain), {}, std::move(limited_.chance)};
    if (std::ranges::count(apart_, 1) > 0) limits.apart = own.apart = {apart_.begin(), apart_.end()};
    OutputJudgement output;
    output.truth = std::move(limited_.truth);
    output.allowed = held_to(question_, 0, std::move(limits));
    compare::Allowed uncertainty{.rule = compare::Allowed::Rule::within};
    uncertainty.limits = std::make_shared<const compare::Limits>(std::move(own));
    output.uncertainty = std::move(uncertainty);
    return output;
  }

 private:
  std::span<const double> truth() const { return std::as_const(limited_.truth).as<double>(); }

  void judge(std::size_t i) {
    element::terms::ElementSum terms;
    walker_(static_cast<std::int64_t>(i), terms);
    const Line line = line_of(terms);
    if (!std::isfinite(line.sizes)) {  // the reference says what comes of infinities
      if (is_finite(terms)) set_apart(i);
      return;
    }
    const double y = std::log(line.sum), c = got_.as<double>()[i];
    limited_.truth.as<double>()[i] = y;
    sums::ElementLimit limit = mean_limit(terms, line);
    const bool is_clear = limit.probable <= std::abs(line.sum) / 2 && std::isfinite(y) &&
                          2 * std::abs(c - y) <= of_log(limit.probable, line.sum) + fixed(y);
    if (!is_clear && (question_.looks_closely || !(limit.probable <= std::abs(line.sum) / 2)))
      limit = closer(limit, terms, line);
    if (limit.probable > std::abs(line.sum) / 2 || overflows(terms, c)) return set_apart(i);
    if (!std::isfinite(y)) return;  // no order of rounding makes a number of it
    const double most = limit.certain <= std::abs(line.sum) / 2 ? of_log(limit.certain, line.sum) : compare::anything;
    limited_.probable.as<double>()[i] = std::min(of_log(limit.probable, line.sum), most) + fixed(y);
    limited_.chance->as<double>()[i] = std::min(of_log(limit.probable - limit.fixed, line.sum), most);
    limited_.certain.as<double>()[i] = most + fixed(y);
  }

  void set_apart(std::size_t i) {
    apart_[i] = 1;
    limited_.probable.as<double>()[i] = compare::anything;
  }
  static bool is_finite(const element::terms::ElementSum& sum) {
    return std::ranges::all_of(sum.terms,
                               [](const element::terms::Product& term) { return std::isfinite(term.value()); });
  }

  /// Error of ln S where S is off by `error`, which counts as half of S at most.
  static double of_log(double error, double sum) { return -std::log1p(-std::min(error / std::abs(sum), 0.5)); }
  double fixed(double y) const { return 8 * unit_ * std::abs(y); }

  /// The limit of the sum by the mean over all orders of its terms (verdict.md V14).
  sums::ElementLimit mean_limit(const element::terms::ElementSum& terms, const Line& line) const {
    if (terms.terms.empty()) return {};
    const auto count = static_cast<std::int64_t>(terms.terms.size());
    const bounds::DotFactors factors = bounds::dot_factors(node_, count, true);
    const double square = line.sum * line.sum, stored = factors.stored * std::abs(line.sum);
    const double spread = std::max(line.squares - square / static_cast<double>(count), 0.0);
    const double chance = factors.random * std::sqrt(factors.of_square * square + factors.of_spread * spread +
                                                     factors.of_terms * line.squares);
    const double most = factors.certain * line.sizes;  // squares of f64 may leave its range
    return {(std::isfinite(chance) ? std::min(chance, most) : most) + stored, most + stored, stored};
  }

  /// By its terms one after the other and, of elements that are open, by what creeps (verdict.md V15, V16, V23).
  sums::ElementLimit closer(const sums::ElementLimit& mean, const element::terms::ElementSum& terms,
                            const Line& line) const {
    sums::ElementLimit limit = limit_of_sum(question_, terms, arithmetic_);
    const double stored = 2 * unit_ * std::abs(line.sum);
    limit.probable += stored;
    limit.certain += stored;
    limit.fixed += stored;
    const bool is_exact = limit.certain <= stored;
    if (is_exact || limit.probable >= mean.probable / 2) return limit;
    const double share = mean.probable / 2 / limit.probable;
    return {mean.probable / 2, std::max(limit.certain, mean.probable / 2), limit.fixed * share};
  }

  /// Whether an intermediate sum may have left the range, of what came out as no number (verdict.md V34).
  bool overflows(const element::terms::ElementSum& terms, double c) const {
    return !std::isfinite(c) && sums::overflows_in_some_order(terms, core::compute_dtype(question_.out_type(0).dtype));
  }

  const Question& question_;
  const element::terms::Walker& walker_;
  ir::Graph wide_;
  bounds::ExpressionBuilder builder_;
  const bounds::Node node_;
  const sums::Arithmetic arithmetic_;
  const double unit_;
  const ir::Tensor got_;
  Limited limited_;
  std::vector<std::uint8_t> apart_;  ///< a logarithm that may be anything
};

}  // namespace

/// The other functions have limits of elements.
std::optional<Judge> judge_of(const Reduce& op) {
  if (op.function != ReduceFunction::log_sum) return std::nullopt;
  return Judge([op](const Question& question) {
    const element::terms::Operand x{question.in[0].as<double>(), question.in[0].shape()};
    const auto walker = element::terms::find_walker(Reduce{ReduceFunction::sum, op.axes, op.keep_dims}, {&x, 1},
                                                    question.out_type(0).shape);
    return Judgement{{LogSums(question, *walker).judge()}};
  });
}

}  // namespace plumb::parity::judges
