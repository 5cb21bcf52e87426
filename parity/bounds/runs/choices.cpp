// Decisions of nodes whose operands may be off: by the ends of the operands' ranges, since a few runs may miss them.
#include "parity/bounds/runs/choices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/one_hot.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/runs/op_kinds.hpp"

namespace plumb::parity::bounds::runs {
namespace {

using ir::ops::BinaryFunction;
using ir::ops::UnaryFunction;

/// Whether a result jumps at values of the operands.
bool decides(const ir::Op& op, ir::DType from, ir::DType to) {
  if (op.is<ir::ops::Cast>()) return ir::is_float(from) && !ir::is_float(to);
  return op.is<ir::ops::Compare>() || is_unary(op, {UnaryFunction::floor, UnaryFunction::ceil, UnaryFunction::trunc,
                                                    UnaryFunction::round, UnaryFunction::sign});
}

/// Whether a result stands still over a range of the operands.
bool has_plateau(const ir::Op& op) {
  return op.is<ir::ops::Clamp>() || is_unary(op, {UnaryFunction::relu}) ||
         is_binary(op, {BinaryFunction::maximum, BinaryFunction::minimum});
}

bool is_remainder(const ir::Op& op) { return is_binary(op, {BinaryFunction::mod, BinaryFunction::fmod}); }

/// Whether a result wraps around, so that it may be alike at both ends of an operand and another between.
bool wraps(const ir::Op& op) {
  return is_remainder(op) || is_binary(op, {BinaryFunction::bit_and, BinaryFunction::bit_or, BinaryFunction::bit_xor,
                                            BinaryFunction::shift_left, BinaryFunction::shift_right});
}

/// Whether the extremes of a result are at extremes of the operands, one by one.
bool is_monotone(const ir::Op& op) {
  if (op.is<ir::ops::DequantizeLinear>())
    return op.as<ir::ops::DequantizeLinear>().code == ir::kernels::CodeFormat::integer;
  return op.is<ir::ops::Compare>() || op.is<ir::ops::Cast>() || op.is<ir::ops::Where>() || has_plateau(op) ||
         is_unary(op, {UnaryFunction::floor, UnaryFunction::ceil, UnaryFunction::trunc, UnaryFunction::round,
                       UnaryFunction::sign, UnaryFunction::negate, UnaryFunction::logical_not}) ||
         is_binary(op, {BinaryFunction::add, BinaryFunction::subtract, BinaryFunction::multiply,
                        BinaryFunction::logical_and, BinaryFunction::logical_or, BinaryFunction::logical_xor});
}

/// By how many units of roundoff an op of exact operands may be off, at most; nothing: they add to what is there.
std::optional<double> roundings_of(const ir::Op& op, double before) {
  switch (op.error_class()) {
    case ir::ErrorClass::bits:
      if (!op.is<ir::ops::Cast>()) return before;
      break;
    case ir::ErrorClass::exact:
      return before;
    default:
      break;
  }
  const bool scales = op.is<ir::ops::Cast>() || op.is<ir::ops::DequantizeLinear>() ||
                      is_binary(op, {BinaryFunction::multiply, BinaryFunction::divide});
  const double own = op.error_class() == ir::ErrorClass::ulp ? 8 : 2;
  if (before > 0 && !scales) return std::nullopt;
  return before + own;
}

class Chooser {
 public:
  Chooser(ir::Executor& reference, const ir::Graph& wide, std::span<const Wavering> operands)
      : reference_(reference), wide_(wide), operands_(operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].wavers()) continue;
      (operands[i].admissible ? chosen_ : natural_).push_back(i);
    }
  }

  std::vector<Choice> all(std::span<const ir::Tensor> truths) {
    std::vector<Choice> found(truths.size());
    if (chosen_.empty() && natural_.empty()) return found;
    // A value that is compared with itself, as to find a NaN, is off by nothing.
    const std::vector<ir::Value>& from = wide_.nodes().front().inputs;
    if (op().is<ir::ops::Compare>() && from[0] == from[1]) return found;
    if (picks(op()) && operands_.size() == 1) return picks_of(op(), operands_[0], truths);
    if (only_moves(op()) || (is_gather(op()) && !is_chosen(1)) || (op().is<ir::ops::Where>() && !is_chosen(0)))
      return moved(std::move(found));
    const bool is_pointwise = is_elementwise(op()) || is_gather(op()) || op().is<ir::ops::OneHot>();
    const bool is_one_set = natural_.empty() && chosen_.size() == 1 && !chosen(0).is_range;
    if (is_pointwise && is_one_set) return mapped(std::move(found));
    const bool all_chosen = natural_.empty() && is_monotone(op());
    if (wraps(op()) && !chosen_.empty())
      found.front().admissible = wrapped(truths.front());
    else if (all_chosen || decides_here() || (op().is<ir::ops::Where>() && is_chosen(0)))
      found.front() = ranged(truths.front());
    else if (has_plateau(op()) || is_remainder(op()))
      found.front().extremes = jumping(truths.front());
    return found;
  }

 private:
  const ir::Op& op() const { return wide_.nodes().front().op; }
  const Admissible& chosen(std::size_t k) const { return *operands_[chosen_[k]].admissible; }
  bool is_chosen(std::size_t i) const { return std::ranges::count(chosen_, i) > 0; }
  ir::DType to() const { return wide_.type(wide_.nodes().front().outputs.front()).dtype; }
  bool decides_here() const { return decides(op(), operands_[0].truth.dtype(), to()); }

  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& operands) {
    const ir::Node& node = wide_.nodes().front();
    if (!executable_) executable_ = reference_.compile(wide_, {}, {node.outputs});
    ir::Feeds fed;
    for (std::size_t i = 0; i < operands.size(); ++i) fed.insert_or_assign(wide_.inputs()[node.inputs[i]], operands[i]);
    ir::Tensors results = executable_->run(fed);
    std::vector<ir::Tensor> outputs;
    for (const ir::Value v : node.outputs) outputs.push_back(std::move(results.at(v)));
    return outputs;
  }
  std::vector<ir::Tensor> truths_of_operands() const {
    std::vector<ir::Tensor> all;
    for (const Wavering& one : operands_) all.push_back(one.truth);
    return all;
  }

  /// Which of its outputs' elements are open: those that are open elements, by marks that are moved alike.
  std::vector<Choice> moved(std::vector<Choice> found);
  std::vector<Choice> mapped(std::vector<Choice> found);
  Choice ranged(const ir::Tensor& truth);
  Admissible wrapped(const ir::Tensor& truth);
  std::optional<std::pair<ir::Tensor, ir::Tensor>> jumping(const ir::Tensor& truth);
  std::pair<ir::Tensor, ir::Tensor> corners(bool with_natural);
  std::pair<ir::Tensor, ir::Tensor> equalities();

  ir::Executor& reference_;
  const ir::Graph& wide_;
  std::span<const Wavering> operands_;
  std::vector<std::size_t> chosen_, natural_;
  std::unique_ptr<ir::Executable> executable_;
};

/// Whether output elements differ in some of the values that they may have.
std::vector<bool> open_in(const std::vector<ir::Tensor>& values) {
  std::vector<bool> open(static_cast<std::size_t>(values.front().elements()), false);
  for (const ir::Tensor& x : std::span(values).subspan(1)) {
    const std::vector<bool> differing = differs(values.front(), x);
    for (std::size_t i = 0; i < open.size(); ++i)
      if (differing[i]) open[i] = true;
  }
  return open;
}

std::vector<Choice> Chooser::moved(std::vector<Choice> found) {
  if (chosen_.empty()) return found;
  const auto is_range = [this](std::size_t i) { return operands_[i].admissible->is_range; };
  const bool any_range = std::ranges::any_of(chosen_, is_range);
  std::size_t count = 2;
  Admissible made{.values = {}, .is_range = any_range, .open = {}};
  for (const std::size_t i : chosen_) {
    const Admissible& one = *operands_[i].admissible;
    made.roundings = std::max(made.roundings, one.roundings);
    made.covers_all |= one.covers_all;
    if (!any_range) count = std::max(count, one.values.size());
  }
  std::vector<std::vector<ir::Tensor>> runs;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<ir::Tensor> operands = truths_of_operands();
    for (const std::size_t i : chosen_) {
      const Admissible& one = *operands_[i].admissible;
      if (!any_range) {
        operands[i] = one.values[std::min(k, one.values.size() - 1)];
      } else {
        auto ends = one.ends();
        operands[i] = k == 0 ? std::move(ends.first) : std::move(ends.second);
      }
    }
    runs.push_back(run(operands));
  }
  for (std::size_t output = 0; output < found.size(); ++output) {
    Admissible& one = found[output].admissible.emplace(made);
    for (auto& outputs : runs) one.values.push_back(std::move(outputs[output]));
    one.open = open_in(one.values);
  }
  return found;
}

std::vector<Choice> Chooser::mapped(std::vector<Choice> found) {
  const Admissible& from = chosen(0);
  const auto roundings = roundings_of(op(), from.roundings);
  if (!roundings) return found;
  Admissible made{.values = {}, .is_range = false, .open = {}, .roundings = *roundings};
  for (const ir::Tensor& x : from.values) {
    std::vector<ir::Tensor> operands = truths_of_operands();
    operands[chosen_[0]] = x;
    try {
      made.values.push_back(std::move(run(operands).front()));
    } catch (const ir::Error&) {  // an index that is beyond what it counts: nobody has that
      if (!is_gather(op())) throw;
    }
  }
  if (made.values.size() < 2) return found;
  made.open = open_in(made.values);
  made.covers_all = to() == ir::DType::boolean;
  found.front().admissible = std::move(made);
  return found;
}

/// The least and the most that a monotone function makes of operands that may be anything between their ends.
std::pair<ir::Tensor, ir::Tensor> Chooser::corners(bool with_natural) {
  std::vector<std::size_t> wavering = chosen_;
  if (with_natural) wavering.insert(wavering.end(), natural_.begin(), natural_.end());
  std::vector<std::pair<ir::Tensor, ir::Tensor>> ends;
  for (const std::size_t i : wavering) ends.push_back(operands_[i].ends());
  std::optional<std::pair<ir::Tensor, ir::Tensor>> found;
  for (std::size_t corner = 0; corner < std::size_t{1} << wavering.size(); ++corner) {
    std::vector<ir::Tensor> operands = truths_of_operands();
    for (std::size_t k = 0; k < wavering.size(); ++k)
      operands[wavering[k]] = (corner >> k & 1) != 0 ? ends[k].second : ends[k].first;
    ir::Tensor y = std::move(run(operands).front());
    if (found)
      extend(found->first, found->second, y);
    else
      found.emplace(y, y);
  }
  return *found;
}

/// Whether numbers that may be anything between their ends may be equal, and may not: what they have no end of is as
/// it is.
std::pair<ir::Tensor, ir::Tensor> Chooser::equalities() {
  using ir::ops::Compare, ir::ops::Comparison;
  const auto is = [&](Comparison how, const ir::Tensor& a, const ir::Tensor& b) {
    return std::move(ir::run_op(reference_, Compare{how}, {a, b}).front());
  };
  const auto [a, a_most] = operands_[0].ends();
  const ir::Tensor zero({operands_[0].truth.dtype(), {}});
  const auto [b, b_most] = operands_.size() > 1 ? operands_[1].ends() : std::pair(zero, zero);
  const ir::Tensor under = is(Comparison::less_equal, a, b_most), over = is(Comparison::less_equal, b, a_most),
                   below = is(Comparison::less, a, b_most), above = is(Comparison::less, b, a_most);
  const bool is_equal = op().is<ir::ops::Compare>() && op().as<Compare>().function == Comparison::equal;
  std::pair<ir::Tensor, ir::Tensor> found{ir::Tensor(under.type()), ir::Tensor(under.type())};
  for (std::size_t i = 0; i < under.as<bool>().size(); ++i) {
    const bool may_equal = under.as<bool>()[i] && over.as<bool>()[i];
    const bool may_differ = below.as<bool>()[i] || above.as<bool>()[i] || !may_equal;
    found.first.as<bool>()[i] = is_equal ? !may_differ : !may_equal;
    found.second.as<bool>()[i] = is_equal ? may_equal : may_differ;
  }
  return found;
}

Choice Chooser::ranged(const ir::Tensor& truth) {
  const bool is_comparison = op().is<ir::ops::Compare>();
  const bool asks_equality = is_comparison && (op().as<ir::ops::Compare>().function == ir::ops::Comparison::equal ||
                                               op().as<ir::ops::Compare>().function == ir::ops::Comparison::not_equal);
  const bool is_truth_value = op().is<ir::ops::Cast>() && to() == ir::DType::boolean;
  const bool is_orderly =
      !ir::is_complex(operands_[0].truth.dtype()) && operands_[0].truth.dtype() != ir::DType::boolean;
  double before = 0;
  for (const std::size_t i : chosen_) before = std::max(before, operands_[i].admissible->roundings);
  const auto roundings = decides_here() ? std::optional(0.0) : roundings_of(op(), before);
  if (!roundings) return {};
  auto ends = (asks_equality || is_truth_value) && is_orderly ? equalities() : corners(true);
  extend(ends.first, ends.second, truth);
  // A choice between floats that are off by themselves is open where its condition is.
  const bool picks_floats = op().is<ir::ops::Where>() && !natural_.empty();
  std::vector<bool> open;
  if (picks_floats) {
    const auto chosen_ends = corners(false);
    open = differs(chosen_ends.first, chosen_ends.second);
  } else {
    open = differs(ends.first, ends.second);
  }
  Choice choice;
  if (decides_here()) choice.extremes = ends;
  const bool is_whole = decides_here() || !ir::is_float(to());
  if (is_whole)
    choice.admissible = between(std::move(ends.first), std::move(ends.second), std::move(open));
  else
    choice.admissible = Admissible{{std::move(ends.first), std::move(ends.second)}, true, std::move(open), *roundings};
  return choice;
}

/// Whatever a result may be whose operand is open: all up to the divisor, or that the dtype has.
Admissible Chooser::wrapped(const ir::Tensor& truth) {
  const ir::Tensor none({ir::DType::f64, truth.shape()});
  const auto spread_out = [&](const ir::Tensor& x) {  // over the shape of the result
    const ir::Tensor wide = ir::convert(x, ir::DType::f64);
    return std::move(ir::run_op(reference_, ir::ops::Binary{BinaryFunction::add}, {none, wide}).front());
  };
  Admissible made{.values = {truth, truth}, .is_range = true, .open = {}};
  made.open.assign(static_cast<std::size_t>(truth.elements()), false);
  for (const std::size_t i : chosen_) {
    const auto ends = operands_[i].admissible->ends();
    ir::Tensor marks({ir::DType::f64, ends.first.shape()});
    const std::vector<bool> open = differs(ends.first, ends.second);
    for (std::size_t k = 0; k < open.size(); ++k) marks.as<double>()[k] = open[k] ? 1 : 0;
    const ir::Tensor marked = spread_out(marks);
    for (std::size_t k = 0; k < made.open.size(); ++k)
      if (marked.as<double>()[k] > 0) made.open[k] = true;
  }
  const bool is_clear = is_remainder(op()) && !operands_[1].wavers();
  const ir::Tensor divisor = is_clear ? spread_out(operands_[1].truth) : none;
  ir::visit_number(truth.dtype(), [&]<class T>(T) {
    using Range = std::numeric_limits<T>;
    const auto low = made.values[0].as<T>(), high = made.values[1].as<T>();
    for (std::size_t k = 0; k < made.open.size(); ++k) {
      if (!made.open[k]) continue;
      const double size = std::abs(divisor.as<double>()[k]);
      low[k] = is_clear && Range::is_signed ? static_cast<T>(-size) : Range::lowest();
      high[k] = is_clear ? static_cast<T>(size) : Range::max();
    }
  });
  return made;
}

/// The ends of elements that jump or stand still within the limits of the operands, rather than move along with these.
std::optional<std::pair<ir::Tensor, ir::Tensor>> Chooser::jumping(const ir::Tensor& truth) {
  auto ends = corners(true);
  extend(ends.first, ends.second, truth);
  if (!is_remainder(op()) || truth.dtype() != ir::DType::f64) return ends;
  // A remainder moves along with the dividend, except where it begins again.
  if (operands_[0].truth.type() != truth.type() || is_chosen(1) || operands_[1].wavers()) return std::nullopt;
  const auto moved = operands_[0].ends();
  const auto y = truth.as<double>(), from = moved.first.as<double>(), up_to = moved.second.as<double>();
  const auto low = ends.first.as<double>(), high = ends.second.as<double>();
  for (std::size_t i = 0; i < y.size(); ++i)
    if (high[i] - low[i] <= 2 * (up_to[i] - from[i])) low[i] = high[i] = y[i];
  return ends;
}

}  // namespace

std::pair<ir::Tensor, ir::Tensor> Wavering::ends() const {
  std::pair<ir::Tensor, ir::Tensor> found = admissible ? admissible->ends() : std::pair(truth, truth);
  if (!limit) return found;
  const auto by = limit->as<double>();
  const auto low = found.first.as<double>(), high = found.second.as<double>();
  for (std::size_t k = 0; k < by.size(); ++k) {
    low[k] -= by[k] > 0 ? by[k] : 0;
    high[k] += by[k] > 0 ? by[k] : 0;
  }
  return found;
}

bool may_choose(const ir::Op& op) {
  return only_moves(op) || is_gather(op) || is_elementwise(op) || op.is<ir::ops::OneHot>() || picks(op);
}

bool chooses(const ir::Op& op) {
  const bool is_whole = op.is<ir::ops::Cast>() && !ir::is_float(op.as<ir::ops::Cast>().to);
  return is_whole || picks(op) || has_plateau(op) || is_remainder(op) || decides(op, ir::DType::f64, ir::DType::f64);
}

std::vector<Choice> choices_of(ir::Executor& reference, const ir::Graph& wide, std::span<const Wavering> operands,
                               std::span<const ir::Tensor> truths) {
  return Chooser(reference, wide, operands).all(truths);
}

}  // namespace plumb::parity::bounds::runs
