// Columns of states do not mix, and none is stretched by more than α a step: by that the 2-norm of a column's error is
// carried along, which is the certain limit (ops.md 11, verdict.md V69). What chance does is far less, since errors lie
// in no particular direction: it is seen from runs with random signs (docs/bounds.md).
// Optimised: it loops over elements or terms.
#include "ir/ops/gated_delta_net.hpp"

#include "parity/judges/scans/creep.hpp"
#include "parity/judges/scans/error_runs.hpp"
#include "parity/judges/scans/scan_limits.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::GatedDeltaNet;

double norm_of(std::span<const double> x) {
  double squares = 0;
  for (const double one : x) squares += one * one;
  return std::sqrt(squares);
}

/// One column of a state.
struct Column {
  std::vector<double> s;
  double vanished = 0;  ///< absolute error that an element may have from underflow on the way
  double changes = 0;   ///< sum of |change| along keys, stretched by later steps; chunks multiply key products by it
  CarriedError norm;    ///< bound on the norm of the column's error
  ErrorRuns runs;
  Creep creep;
};

/// Some columns of one head of one batch, from the first step to the last.
class Columns {
 public:
  static constexpr std::int64_t together = 16;

  Columns(const GatedDeltaNet& op, const Question& question, const ScanManner& manner, ScanOutputs& made,
          std::int64_t part)
      : op_(op), question_(question), manner_(manner), made_(made) {
    const ir::TensorTypes types = types_of(question);
    e_ = op.extents(types);
    decays_rows_ = op.decays_rows(types);
    scale_ = std::abs(op.factor(types));
    const std::int64_t blocks = (e_.dv + together - 1) / together;
    batch_ = part / blocks / e_.H;
    head_ = part / blocks % e_.H;
    first_ = part % blocks * together;
    const std::int64_t count = std::min(together, e_.dv - first_);
    // Few runs say little of one element: a part of the mean over its row is added, for which there are many of them.
    const auto runs = static_cast<std::size_t>(std::clamp<std::int64_t>(256 / count, 32, 64));
    const auto rows = static_cast<std::size_t>(e_.dk);
    for (std::int64_t j = first_; j < first_ + count; ++j) {
      const auto seed = static_cast<std::uint64_t>(part * together + j - first_) << 32;
      columns_.push_back({.s = {},
                          .norm = CarriedError(manner.unit),
                          .runs = ErrorRuns(rows, runs, seed),
                          .creep = Creep(rows, manner.format)});
      for (std::int64_t i = 0; i < e_.dk; ++i)
        columns_.back().s.push_back(op.has_state ? at(question.in.size() - 1, in_state(i, j)) : 0);
    }
    if (op.has_state) notice_wild_state();
    factors_.assign(static_cast<std::size_t>(e_.dk), 1);
    factor_errors_.resize(factors_.size());
    for (std::vector<double>* const one : {&key_, &query_, &logarithms_, &own_}) one->resize(factors_.size());
  }

  void walk() {
    if (e_.L == 0) give(-1);
    for (std::int64_t t = 0; t < e_.L; ++t) {
      read_step(t);
      for (std::size_t j = 0; j < columns_.size(); ++j) step(t, static_cast<std::int64_t>(j));
      const std::int64_t queries = e_.Hq / e_.H;
      // A wild query makes all answers of its head wild.
      for (std::int64_t g = head_ * queries; g < (head_ + 1) * queries; ++g)
        for (std::int64_t i = 0; i < e_.dk; ++i) notice(at(0, (step_of(t) * e_.Hq + g) * e_.dk + i));
      for (std::int64_t g = head_ * queries; g < (head_ + 1) * queries; ++g) answer(t, g);
      give(t);
    }
  }

 private:
  double at(std::size_t operand, std::int64_t i) const {
    return question_.in[operand].as<double>()[static_cast<std::size_t>(i)];
  }
  std::int64_t in_state(std::int64_t i, std::int64_t j) const {
    return ((batch_ * e_.H + head_) * e_.dk + i) * e_.dv + j;
  }
  std::int64_t step_of(std::int64_t t) const { return batch_ * e_.L + t; }
  bool looks_closely() const { return !manner_.open.empty(); }
  void notice(double x) { is_wild_ = is_wild_ || !manner_.holds(x); }

  /// A head is wild as a whole, whichever of its columns something came into.
  void notice_wild_state() {
    for (std::int64_t i = 0; i < e_.dk * e_.dv; ++i) notice(at(question_.in.size() - 1, in_state(0, 0) + i));
  }

  /// Reads the numbers of step t that all columns share: key, factors and their logarithms.
  void read_step(std::int64_t t) {
    const std::int64_t of_head = step_of(t) * e_.H + head_;
    highest_ = op_.has_decay ? -std::numeric_limits<double>::infinity() : 0;
    most_of_factors_ = 0;
    squares_ = lost_key_ = 0;
    for (std::int64_t i = 0; i < e_.dk; ++i) {
      const auto row = static_cast<std::size_t>(i);
      key_[row] = at(1, of_head * e_.dk + i);
      squares_ += key_[row] * key_[row];
      lost_key_ += manner_.lost(key_[row]);
      notice(key_[row]);
      if (!op_.has_decay) continue;
      const double logarithm = at(op_.decay_operand(), decays_rows_ ? of_head * e_.dk + i : of_head);
      logarithms_[row] = logarithm;
      factors_[row] = std::exp(logarithm);
      factor_errors_[row].step(logarithm);
      highest_ = std::max(highest_, logarithm);
      most_of_factors_ = std::max(most_of_factors_, factor_errors_[row].certain());
      notice(logarithm);
      notice(factors_[row]);
    }
    if (e_.dk == 0) highest_ = 0;
    beta_ = op_.has_beta ? at(op_.beta_operand(), of_head) : 1;
    notice(beta_);
    notice(squares_);
    for (std::int64_t j = 0; j < e_.dv; ++j) notice(at(2, of_head * e_.dv + j));
  }

  /// The numbers of one step on a column: the norm of its state before the step and after the decay, the value, the
  /// value less Sᵀk, and the change along the key.
  struct Change {
    double before, decayed, v, difference, change;
  };

  void step(std::int64_t t, std::int64_t j) {
    Column& column = columns_[static_cast<std::size_t>(j)];
    const double v = at(2, (step_of(t) * e_.H + head_) * e_.dv + first_ + j), u = manner_.unit;
    const double before = norm_of(column.s);
    if (op_.has_decay) decay(column);
    const double decayed = norm_of(column.s);
    products_.clear();
    double known = 0, sizes = std::abs(v);
    for (std::size_t i = 0; i < key_.size() && op_.has_beta; ++i) {
      products_.push_back(column.s[i] * key_[i]);
      known += products_.back();
      sizes += std::abs(products_.back());
    }
    const double change = beta_ * (v - known);  // without beta it is 1, and nothing known
    for (std::size_t i = 0; i < key_.size(); ++i) {
      column.s[i] += key_[i] * change;
      own_[i] = u * key_[i] * change;
    }
    const double by_chance = 1.5 * u * std::hypot(v, v - known);
    const double of_known = op_.has_beta ? std::hypot(manner_.mean_deviation_of(products_), by_chance) : 0;
    column.runs.update(key_, op_.has_beta ? beta_ : 0, known, of_known, own_, column.s, u);
    if (looks_closely()) column.creep.update(key_, op_.has_beta ? beta_ : 0, change, column.s);
    carry_norm(column, {before, decayed, v, v - known, change});
    notice(change);
    notice(sizes);
  }

  void decay(Column& column) {
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      column.s[i] *= factors_[i];
      own_[i] = manner_.unit * factor_errors_[i].deviation();
    }
    column.runs.decay(factors_, logarithms_, own_, column.s, manner_.unit);
    if (looks_closely()) column.creep.decay(factors_);
  }

  /// Carries the bound on the norm of a column's error, and its allowance for underflow, over one step.
  void carry_norm(Column& column, const Change& by) {
    const double norm = std::sqrt(squares_), share = std::abs(beta_) * norm, size = norm_of(column.s);
    const double stretch = std::exp(highest_) * stretch_of_rule(), rows = static_cast<double>(e_.dk);
    const double rest = 3 * manner_.unit * (std::abs(by.v) + std::abs(by.difference));
    const double of_known = op_.has_beta ? manner_.most_of(products_) + rest : 0;
    const double of_decay = op_.has_decay ? (most_of_factors_ + 1) * by.decayed : 0;
    const double of_change = 2 * norm * std::abs(by.change);
    column.norm.step(stretch, 0, manner_.unit * (of_decay + size + of_change) + share * of_known);
    // Underflow: products and sums, factors and their logarithms, and operands may become 0.
    const double of_results = manner_.floor * (3 * rows + by.before + by.decayed + norm + share * (2 * rows + 2));
    const double of_operands = lost_key_ * (std::abs(by.change) + share * by.decayed) + share * manner_.lost(by.v) +
                               norm * manner_.lost(beta_) * std::abs(by.difference);
    const double of_keys = manner_.floor * share * (rows + 1) * column.changes;
    column.changes = stretch * column.changes + std::abs(by.change);
    column.vanished = stretch * column.vanished + of_results + of_operands + of_keys;
    notice(size);
  }

  /// The norm of I − beta·kkᵀ.
  double stretch_of_rule() const { return op_.has_beta ? std::max(1.0, std::abs(1 - beta_ * squares_)) : 1; }

  void answer(std::int64_t t, std::int64_t g) {
    for (std::int64_t i = 0; i < e_.dk; ++i)
      query_[static_cast<std::size_t>(i)] = at(0, (step_of(t) * e_.Hq + g) * e_.dk + i);
    const double norm = norm_of(query_), u = manner_.unit;
    double sizes = 0, lost = 0;
    for (const double q : query_) {
      sizes += std::abs(q);
      lost += manner_.lost(q);
    }
    double variances = 0;
    for (const Column& column : columns_) variances += column.runs.variance(query_);
    const double part_of_mean = variances / static_cast<double>(4 * columns_.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const Column& column = columns_[j];
      products_.clear();
      double sum = 0, all = 0;
      for (std::size_t i = 0; i < query_.size(); ++i) {
        products_.push_back(column.s[i] * query_[i]);
        sum += products_.back();
        all += std::abs(products_.back());
      }
      notice(all);
      notice(scale_ * sum);
      const std::int64_t i = (step_of(t) * e_.Hq + g) * e_.dv + first_ + static_cast<std::int64_t>(j);
      const double of_operands = sizes * column.vanished + lost * norm_of(column.s);
      const double of_products = static_cast<double>(e_.dk + 1) * manner_.floor * (2 + column.changes);
      const double vanished = scale_ * (of_operands + of_products);
      const double besides = 2 * u * scale_ * std::abs(sum) + vanished + manner_.floor;
      const double of_state = std::sqrt(column.runs.variance(query_) + part_of_mean);
      const double deviation = scale_ * std::hypot(of_state, manner_.deviation_of(products_, i));
      const double creep = manner_.is_open(0, i) ? scale_ * column.creep.of_sum(query_) : 0;
      made_.own().set(i, deviation, besides + beyond_chance(creep, deviation),
                      scale_ * (norm * column.norm.certain() + manner_.most_of(products_)) + besides);
      made_.own().apart[static_cast<std::size_t>(i)] = is_wild_;
    }
  }

  /// States after step t; before the first where there is none.
  void give(std::int64_t t) {
    const bool is_given = t < 0 || t + 1 == e_.L || (made_.every > 0 && (t + 1) % made_.every == 0);
    for (std::int64_t i = 0; is_given && i < e_.dk; ++i) give_row(t, i);
  }

  void give_row(std::int64_t t, std::int64_t i) {
    double variances = 0;
    for (const Column& column : columns_) variances += column.runs.variance(static_cast<std::size_t>(i));
    const double part_of_mean = variances / static_cast<double>(4 * columns_.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const Column& column = columns_[j];
      const auto row = static_cast<std::size_t>(i);
      const auto set = [&](ScanOutput& output, std::int64_t place) {
        const double deviation = std::sqrt(column.runs.variance(row) + part_of_mean);
        const auto k = static_cast<std::size_t>(&output - made_.outputs.data());
        const double creep = manner_.is_open(k, place) ? column.creep.of_row(row) : 0;
        output.set(place, deviation, column.vanished + beyond_chance(creep, deviation),
                   column.norm.certain() + column.vanished);
        output.apart[static_cast<std::size_t>(place)] = is_wild_;
      };
      const std::int64_t place = in_state(i, first_ + static_cast<std::int64_t>(j));
      if (t < 0)
        set(made_.outputs[1], place);
      else
        made_.given(t, e_.L, place, set);
    }
  }

  const GatedDeltaNet& op_;
  const Question& question_;
  const ScanManner& manner_;
  ScanOutputs& made_;
  GatedDeltaNet::Extents e_{};
  bool decays_rows_ = false, is_wild_ = false;
  double scale_ = 1;
  std::int64_t batch_ = 0, head_ = 0, first_ = 0;
  std::vector<Column> columns_;
  std::vector<double> factors_, logarithms_, key_, query_, own_, products_;
  std::vector<FactorErrors> factor_errors_;   ///< by row
  double highest_ = 0, most_of_factors_ = 0;  ///< a step's largest logarithm, and what its factors may be off
  double lost_key_ = 0;                       ///< sum of the key's |elements| that may be flushed to 0
  double squares_ = 0, beta_ = 1;             ///< ‖k‖², and the strength of the rule
};

}  // namespace

std::optional<Judge> judge_of(const GatedDeltaNet& op) {
  const auto walk = [op](const Question& question, const ScanManner& manner, ScanOutputs& made) {
    const GatedDeltaNet::Extents e = op.extents(types_of(question));
    const std::int64_t blocks = (e.dv + Columns::together - 1) / Columns::together;
    for_each_part(e.B * e.H * blocks, [&](std::int64_t part) { Columns(op, question, manner, made, part).walk(); });
  };
  return judge_of_scan([op](ir::Types in) { return ScanKind{op.computed(in), op.state_every}; }, walk);
}

}  // namespace plumb::parity::judges
