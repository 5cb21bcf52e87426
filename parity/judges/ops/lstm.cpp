// Gates are held to the state before them as the candidate made it. The cell, where it is no output, carries its error
// along: E² ← a²E² + (the step's own)², a being what the next cell makes of a change of the one before.
#include "ir/ops/lstm.hpp"

#include <cmath>

#include "ir/ops/split.hpp"
#include "parity/core/float_format.hpp"
#include "parity/judges/recurrent/recurrent_node.hpp"

namespace plumb::parity::judges {
namespace {

using ir::kernels::RecurrentActivation;
using ir::ops::Lstm;

constexpr double ulps_of_functions = 4;  // ops.md 11: 4 units in the last place, 2u each

/// A number with how far it may be off, as a deviation and at most.
struct Uncertain {
  double value = 0, deviation = 0, certain = 0;

  Uncertain scaled(double factor) const {
    return {factor * value, std::abs(factor) * deviation, std::abs(factor) * certain};
  }
  /// With a rounding, or several, that are at most so much.
  Uncertain rounded(double by) const { return {value, std::hypot(deviation, by), certain + by}; }
};

double function(RecurrentActivation of, double z) {
  switch (of) {
    case RecurrentActivation::sigmoid:
      return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
    case RecurrentActivation::tanh:
      return std::tanh(z);
    case RecurrentActivation::relu:
      return z < 0 ? 0 : z;
    case RecurrentActivation::hard_sigmoid: {
      const double y = 0.2 * z + 0.5;
      return y < 0 ? 0 : y > 1 ? 1 : y;
    }
    case RecurrentActivation::softsign:
      return z / (1 + std::abs(z));
    case RecurrentActivation::softplus:
      return (z > 0 ? z : 0) + std::log1p(std::exp(-std::abs(z)));
    case RecurrentActivation::identity:
      return z;
  }
  return z;
}

/// The largest slope within `off` of z, but for what is of second order.
double slope(RecurrentActivation of, double z, double off) {
  const double y = function(of, z);
  switch (of) {
    case RecurrentActivation::sigmoid:
      return y * (1 - y);
    case RecurrentActivation::tanh:
      return 1 - y * y;
    case RecurrentActivation::relu:
      return z + off < 0 ? 0 : 1;
    case RecurrentActivation::hard_sigmoid:
      return std::abs(z) - off > 2.5 ? 0 : 0.2;
    case RecurrentActivation::softsign:
      return 1 / ((1 + std::abs(z)) * (1 + std::abs(z)));
    case RecurrentActivation::softplus:
      return function(RecurrentActivation::sigmoid, z);
    case RecurrentActivation::identity:
      return 1;
  }
  return 1;
}

/// f(κ(z)), and what it makes of a change of z.
struct Activated {
  Uncertain y;
  double slope = 0;
};

/// The cell of one unit on its way through the steps.
class Cell {
 public:
  /// `floor` is what an intermediate result loses where it is flushed to zero, which a factor behind it enlarges;
  /// `most` is the end of the range that such results have.
  Cell(const Lstm& op, double unit, double floor, double most, double first, std::array<double, 3> peephole)
      : op_(op), unit_(unit), floor_(floor), most_(most), value_(first), error_(unit), peephole_(peephole) {}

  /// The next state h, by the sums of gates i, o, f and c without peepholes.
  Uncertain step(const std::array<Uncertain, 4>& sums) {
    const Activated i = gate(sums[0], 0), candidate = apply(op_.cell_activation, sums[3]);
    const double g = candidate.y.value, own_i = i.slope * peephole_[0];
    Uncertain next;
    double factor = 0;
    if (op_.input_forget) {
      const Uncertain f{1 - i.y.value, 0, 0};
      factor = f.value + (g - value_) * own_i;
      next = sum(f.scaled(value_).rounded(unit_ * std::abs(value_) + floor_), i.y.scaled(g), i.y.value, candidate.y);
      next.deviation = std::hypot(next.deviation, i.y.deviation * value_);
      next.certain += i.y.certain * std::abs(value_);
      note({f.value * value_, std::abs(f.value) * error_.deviation(), 0});
    } else {
      const Activated f = gate(sums[2], 2);
      factor = f.y.value + value_ * f.slope * peephole_[2] + g * own_i;
      next = sum(f.y.scaled(value_), i.y.scaled(g), i.y.value, candidate.y);
      note({f.y.value * value_, std::hypot(f.y.deviation * value_, f.y.value * error_.deviation()), 0});
    }
    note(i.y.scaled(g));
    error_.step(factor, next.deviation, next.certain);
    value_ = next.value;
    note(cell());
    const Activated o = gate(sums[1], 1), bent = apply(op_.hidden_activation, {value_, 0, 0}, error_.certain());
    const double h = o.y.value * bent.y.value;
    const double of_cell = o.y.value * bent.slope + bent.y.value * o.slope * peephole_[1];
    return {h,
            std::hypot(o.y.deviation * bent.y.value, o.y.value * bent.y.deviation,
                       std::hypot(of_cell * error_.deviation(), unit_ * h, floor_)),
            o.y.certain * std::abs(bent.y.value) + std::abs(o.y.value) * bent.y.certain +
                std::abs(of_cell) * error_.certain() + unit_ * std::abs(h) + floor_};
  }

  Uncertain cell() const { return {value_, error_.deviation(), error_.certain()}; }

  /// Whether a gate, a product or the cell may have left the range by now, which no state need show: an infinite gate
  /// times a cell that relu makes 0 is NaN where the truth is 0 (verdict.md V34).
  bool may_have_left() const { return may_have_left_; }

 private:
  void note(const Uncertain& x) {
    constexpr double deviations = 8;
    may_have_left_ = may_have_left_ || !(std::abs(x.value) + deviations * x.deviation < most_);
  }

  /// f⊙c + i⊙ĉ, where `kept` is f⊙c and `let_in` i⊙ĉ without what ĉ is off.
  Uncertain sum(const Uncertain& kept, const Uncertain& let_in, double i, const Uncertain& candidate) const {
    const double y = kept.value + let_in.value;
    const Uncertain of_candidate = candidate.scaled(i);
    const double own = unit_ * (std::abs(kept.value) + std::abs(let_in.value) + std::abs(y)) + 3 * floor_;
    return Uncertain{y, std::hypot(kept.deviation, let_in.deviation, of_candidate.deviation),
                     kept.certain + let_in.certain + of_candidate.certain}
        .rounded(own);
  }

  Activated gate(const Uncertain& sum, std::size_t which) {
    const double seen = peephole_[which] * value_;
    Uncertain z{sum.value + seen, sum.deviation, sum.certain};
    note({std::abs(sum.value) + std::abs(seen), sum.deviation + std::abs(peephole_[which]) * error_.deviation(), 0});
    if (seen != 0) z = z.rounded(unit_ * (std::abs(seen) + std::abs(z.value)));
    return apply(op_.gate_activation, z, std::abs(peephole_[which]) * error_.certain());
  }

  /// `off` is what z may be off besides, by the cell.
  Activated apply(RecurrentActivation of, const Uncertain& z, double off = 0) const {
    const double around = z.certain + off;
    double at = z.value, bend = 1;
    if (op_.clip) {
      const double most = *op_.clip;
      if (std::abs(at) - around > most) bend = 0;
      at = at > most ? most : at < -most ? -most : at;
    }
    bend *= slope(of, at, around);
    const double y = function(of, at);
    const Uncertain scaled{y, bend * z.deviation, bend * z.certain};
    // The slope of a hard sigmoid is rounded, and the half that is added.
    const bool is_rounded = of == RecurrentActivation::hard_sigmoid;
    const double own = of == RecurrentActivation::identity || of == RecurrentActivation::relu ? 0
                       : is_rounded ? unit_ * (std::abs(0.4 * at) + std::abs(y))
                                    : 2 * ulps_of_functions * unit_ * std::abs(y);
    return {scaled.rounded(own + floor_), bend};
  }

  const Lstm& op_;
  const double unit_, floor_, most_;
  bool may_have_left_ = false;
  double value_;
  CarriedError error_;
  const std::array<double, 3> peephole_;
};

/// The sums of the gates of all steps by direction, in standard deviations: [T·B, 4H], or [T·B, 2H] and [T·B, H] where
/// one gate is not read.
class GateSums {
 public:
  /// `given`: states [T, D, B, H], those after the steps.
  GateSums(const Lstm& op, const Question& question, const RecurrentNode& node, const ir::Tensor& given)
      : n_(node.extents()), parts_(op.input_forget ? 2 : 1) {
    judges::definitions::Definition made = judges::definitions::begin(operand_types(question));
    ir::Feeds own;
    std::vector<ir::Value> states;
    for (std::int64_t d = 0; d < n_.directions; ++d) {
      const std::string name = ir::cat("before", d);
      own.emplace(name, node.before(d, given, node.operands().initial_h));
      states.push_back(made.graph.input(name, own.at(name).type()));
    }
    for (std::int64_t d = 0; d < n_.directions; ++d) {
      judges::definitions::RecurrentNodes nodes(op, made, d);
      const ir::Value x = nodes.reshape(made.operands[0], {n_.steps * n_.batch, n_.inputs});
      const ir::Value h = states[static_cast<std::size_t>(d)];
      made.graph.returns(nodes.gate_sums(x, h, 0, parts_ == 1 ? 4 : 2));
      if (parts_ == 2) made.graph.returns(nodes.gate_sums(x, h, 3, 4));
    }
    limits_ = limits_of(question, made, own, 1);
  }

  /// The sums of gates i, o, f and c of one unit at one position.
  std::array<Uncertain, 4> at(const Run& run, std::int64_t t, std::int64_t unit) const {
    const std::int64_t line = t * n_.batch + run.row;
    const auto read = [&](std::size_t part, std::int64_t width, std::int64_t gate) {
      const Limited& limited = limits_[static_cast<std::size_t>(run.direction) * parts_ + part];
      const auto i = static_cast<std::size_t>((line * width + gate) * n_.units + unit);
      return Uncertain{limited.truth.as<double>()[i], limited.probable.as<double>()[i],
                       limited.certain.as<double>()[i]};
    };
    if (parts_ == 1) return {read(0, 4, 0), read(0, 4, 1), read(0, 4, 2), read(0, 4, 3)};
    return {read(0, 2, 0), read(0, 2, 1), {}, read(1, 1, 0)};
  }

 private:
  const ir::kernels::RecurrentExtents n_;
  const std::size_t parts_;
  std::vector<Limited> limits_;
};

void write(const Uncertain& x, double lambda, std::size_t i, Limited& to) {
  to.truth.as<double>()[i] = x.value;
  to.probable.as<double>()[i] = lambda * x.deviation;
  to.certain.as<double>()[i] = x.certain;
}

double peephole_at(const Question& question, const RecurrentNode& node, const Run& run, std::int64_t gate,
                   std::int64_t unit) {
  if (!node.operands().peephole) return 0;
  const std::int64_t i = (run.direction * 3 + gate) * node.extents().units + unit;
  return question.in[*node.operands().peephole].as<double>()[static_cast<std::size_t>(i)];
}

/// The cells of all runs, which each step is told of: `told` takes a run, its step, the unit, the cell and the state.
template <class Told>
void carry_cells(const Lstm& op, const Question& question, const RecurrentNode& node, const ir::Tensor& states,
                 const Told& told) {
  const GateSums sums(op, question, node, states);
  const double most = core::float_format(core::compute_dtype(question.out_type(0).dtype)).overflow();
  for (std::size_t r = 0; r < node.runs().size(); ++r)
    for (std::int64_t u = 0; u < node.extents().units; ++u) {
      const Run& run = node.runs()[r];
      const auto initial = node.operands().initial_c;
      const double first = initial ? question.in[*initial].as<double>()[node.at_end(run, u)] : 0;
      const auto p = [&](std::int64_t gate) { return peephole_at(question, node, run, gate, u); };
      Cell cell(op, question.unit(0), question.floor(0), most, first, {p(0), p(1), p(2)});
      told(r, -1, u, cell, Uncertain{});
      for (std::int64_t s = 0; s < run.length; ++s) {
        const Uncertain h = cell.step(sums.at(run, run.position(s), u));
        told(r, s, u, cell, h);
      }
    }
}

/// The cell is carried along.
Judgement judge_hidden_cell(const Lstm& op, const Question& question, RecurrentNode& node) {
  const ir::kernels::RecurrentExtents& n = node.extents();
  Limited y(n.all_states()), c_n(n.states());
  carry_cells(op, question, node, question.got[0],
              [&](std::size_t r, std::int64_t s, std::int64_t u, const Cell& cell, const Uncertain& h) {
                const Run& run = node.runs()[r];
                if (s >= 0) write(h, question.lambda, node.at(run, run.position(s), u), y);
                write(cell.cell(), question.lambda, node.at_end(run, u), c_n);
                if (cell.may_have_left()) node.set_wild(r, s);
              });
  OutputJudgement last = elements_within(question, 2, std::move(c_n));
  node.set_wild_apart(last, true);
  OutputJudgement last_states = node.last_within(1, 0, y, node.operands().initial_h);
  return {{node.steps_within(0, std::move(y)), std::move(last_states), std::move(last)}};
}

/// Where states are hidden, the truth has to say in which steps a cell leaves the range.
Judgement judge_hidden_states(const Lstm& op, const Question& question, RecurrentNode& node) {
  if (is_unbounded(op)) {
    const ir::DType computed = core::compute_dtype(question.out_type(0).dtype);
    carry_cells(op, question, node, ir::convert(question.truth.outputs[0], computed),
                [&](std::size_t r, std::int64_t s, std::int64_t, const Cell& cell, const Uncertain&) {
                  if (cell.may_have_left()) node.set_wild(r, s);
                });
  }
  return node.with_wild_apart(judge_by_definition(question));
}

/// The cell of every step is an output, and each step is held to the one before it.
Judgement judge_shown_cell(const Lstm& op, const Question& question, RecurrentNode& node) {
  const Steps steps = node.steps_from(op, question.got[0], &question.got[3]);
  if (is_unbounded(op)) node.note_what_leaves_the_range(steps);
  std::vector<Limited> limits = limits_of(question, steps.made, steps.own, question.lambda);
  OutputJudgement last_h = node.last_within(1, 0, limits[0], node.operands().initial_h);
  OutputJudgement last_c = node.last_within(2, 3, limits[1], node.operands().initial_c);
  return {{node.steps_within(0, std::move(limits[0])), std::move(last_h), std::move(last_c),
           node.steps_within(3, std::move(limits[1]))}};
}

}  // namespace

std::optional<Judge> judge_of(const Lstm& op) {
  return Judge([op](const Question& question) {
    RecurrentNode node(op, question);
    if (!shows_its_states(question, 0)) return judge_hidden_states(op, question, node);
    return op.cell_states ? judge_shown_cell(op, question, node) : judge_hidden_cell(op, question, node);
  });
}

}  // namespace plumb::parity::judges
