// Steps of a recurrence as the candidate made them: what each went on from, where runs end, what is wild.
#include "parity/judges/recurrent/recurrent_node.hpp"

#include <algorithm>
#include <cmath>

#include "ir/ops/concat.hpp"
#include "ir/passes/widen.hpp"
#include "parity/core/float_format.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::judges {
namespace {

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

}  // namespace

ir::TensorTypes operand_types(const Question& question) {
  ir::TensorTypes types;
  for (std::size_t i = 0; i < question.in.size(); ++i) types.push_back(question.in_type(i));
  return types;
}

void RecurrentNode::find_runs(ir::kernels::RecurrentDirection direction) {
  for (std::int64_t d = 0; d < n_.directions; ++d)
    for (std::int64_t b = 0; b < n_.batch; ++b) {
      std::int64_t length = n_.steps;
      if (operands_.lengths) {
        const ir::Tensor given = ir::convert(question_.in[*operands_.lengths], ir::DType::i64);
        length = given.as<std::int64_t>()[static_cast<std::size_t>(b)];
      }
      runs_.push_back({d, b, length, ir::kernels::is_reverse(direction, d)});
    }
}

bool RecurrentNode::has_finite_weights(std::int64_t direction) const {
  const auto is_finite = [&](std::optional<std::size_t> operand, std::int64_t parts) {
    if (!operand) return true;
    const auto all = question_.in[*operand].as<double>();
    const auto size = all.size() / static_cast<std::size_t>(n_.directions * parts);
    for (std::int64_t part = 0; part < parts; ++part)
      if (part % n_.gates != unread_gate_ &&
          !all_finite(all.subspan(static_cast<std::size_t>(direction * parts + part) * size, size)))
        return false;
    return true;
  };
  // Peepholes lie in the order i, o, f, of which the last is the gate that may be unread, too.
  return is_finite(1, n_.gates) && is_finite(2, n_.gates) && is_finite(operands_.bias, 2 * n_.gates) &&
         is_finite(operands_.peephole, 3);
}

bool RecurrentNode::overflows_in_some_order(const Run& run, std::int64_t s) const {
  const auto units = static_cast<std::size_t>(n_.units), inputs = static_cast<std::size_t>(n_.inputs);
  const auto values = [&](std::size_t operand) { return question_.in[operand].as<double>(); };
  const std::int64_t t = run.position(s);
  const auto x = values(0).subspan(static_cast<std::size_t>(t * n_.batch + run.row) * inputs, inputs);
  std::vector<double> h(units, 0.0);
  for (std::size_t u = 0; u < units; ++u)
    if (s > 0)
      h[u] = got_[0].as<double>()[at(run, run.position(s - 1), static_cast<std::int64_t>(u))];
    else if (operands_.initial_h)
      h[u] = values(*operands_.initial_h)[at_end(run, static_cast<std::int64_t>(u))];
  const auto rows = static_cast<std::size_t>(n_.gate_rows()), direction = static_cast<std::size_t>(run.direction);
  for (std::size_t row = 0; row < rows; ++row) {
    if (static_cast<std::int64_t>(row / units) == unread_gate_) continue;
    element::terms::ElementSum sum;
    for (std::size_t i = 0; i < inputs; ++i) sum.add(values(1)[(direction * rows + row) * inputs + i], x[i]);
    for (std::size_t u = 0; u < units; ++u) sum.add(values(2)[(direction * rows + row) * units + u], h[u]);
    if (operands_.bias)
      for (const std::size_t half : {0u, 1u}) sum.add(values(*operands_.bias)[(2 * direction + half) * rows + row]);
    if (sums::overflows_in_some_order(sum, core::compute_dtype(question_.out_type(0).dtype))) return true;
  }
  return false;
}

bool RecurrentNode::may_overflow() const {
  const auto largest = [](std::span<const double> numbers) {
    double most = 0;
    for (const double x : numbers) most = std::max(most, std::abs(x));
    return most;
  };
  const auto of = [&](std::optional<std::size_t> operand) {
    return operand ? largest(question_.in[*operand].as<double>()) : 0;
  };
  const double states = std::max(largest(got_[0].as<double>()), of(operands_.initial_h));
  const double sum = of(0) * of(1) * static_cast<double>(n_.inputs) + states * of(2) * static_cast<double>(n_.units) +
                     2 * of(operands_.bias);
  return !(sum < core::float_format(core::compute_dtype(question_.out_type(0).dtype)).overflow());
}

/// The first step into which a number came that is not finite.
std::int64_t RecurrentNode::wild_from(const Run& run) const {
  const auto units = static_cast<std::size_t>(n_.units), inputs = static_cast<std::size_t>(n_.inputs);
  for (const auto& initial : {operands_.initial_h, operands_.initial_c})
    if (initial && !all_finite(question_.in[*initial].as<double>().subspan(at_end(run, 0), units))) return 0;
  for (std::int64_t s = 0; s < run.length; ++s) {
    const std::int64_t t = run.position(s);
    const auto x = static_cast<std::size_t>(t * n_.batch + run.row) * inputs;
    if (!all_finite(question_.in[0].as<double>().subspan(x, inputs))) return s;
    for (std::size_t k = 0; k < question_.got.size(); ++k) {
      if (question_.out_type(k).shape != n_.all_states()) continue;
      const ir::Tensor& truth = question_.truth.outputs[k];
      for (std::int64_t u = 0; u < n_.units; ++u)
        if (!std::isfinite(got_[k].as<double>()[at(run, t, u)]) || !std::isfinite(truth.as<double>()[at(run, t, u)]))
          return s + 1;
    }
  }
  return run.length + 1;
}

void RecurrentNode::find_wild() {
  for (const ir::Tensor& one : question_.got) got_.push_back(ir::convert(one, ir::DType::f64));
  std::vector<bool> has_finite;
  for (std::int64_t d = 0; d < n_.directions; ++d) has_finite.push_back(has_finite_weights(d));
  const bool looks = may_overflow();
  for (const Run& run : runs_) {
    std::int64_t wild = has_finite[static_cast<std::size_t>(run.direction)] ? wild_from(run) : 0;
    // An infinity in one order, and in another none, saturates a gate: what comes of it is a number as well.
    std::vector<std::int64_t>& beyond = beyond_.emplace_back();
    for (std::int64_t s = 0; looks && s < std::min(wild, run.length); ++s) {
      if (!overflows_in_some_order(run, s)) continue;
      if (hides_states_)
        wild = s;
      else
        beyond.push_back(s);
    }
    wild_.push_back(wild);
  }
}

void RecurrentNode::note_what_leaves_the_range(const Steps& steps) {
  const ir::Graph wide = ir::passes::widen(steps.made.graph);
  std::vector<ir::Value> values;
  std::vector<std::size_t> directions;
  for (std::size_t n = 0, d = 0; n < steps.ends.back(); ++n) {
    while (n == steps.ends[d]) ++d;
    for (const ir::Value v : wide.nodes()[n].outputs) {
      const ir::TensorType& type = wide.type(v);
      if (type.dtype != ir::DType::f64 || type.shape.rank() != 2 || type.shape[0] != n_.steps * n_.batch) continue;
      values.push_back(v);
      directions.push_back(d);
    }
  }
  const ir::Tensors computed =
      question_.reference.run(wide, widened_feeds_of(question_, steps.made, steps.own), values);
  // Half of the range, as what rounds here is rounded otherwise there.
  const double most = core::float_format(core::compute_dtype(question_.out_type(0).dtype)).overflow() / 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ir::Tensor& tensor = computed.at(values[i]);
    const auto numbers = tensor.as<double>();
    const std::size_t width = static_cast<std::size_t>(tensor.shape()[1]);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Run& run = runs_[r];
      if (static_cast<std::size_t>(run.direction) != directions[i]) continue;
      for (std::int64_t s = 0; s < std::min(run.length, wild_[r]); ++s) {
        const auto line = static_cast<std::size_t>(run.position(s) * n_.batch + run.row);
        if (std::ranges::all_of(numbers.subspan(line * width, width), [&](double x) { return std::abs(x) < most; }))
          continue;
        if (hides_states_)
          set_wild(r, s);
        else
          beyond_[r].push_back(s);
      }
    }
  }
}

ir::Tensor RecurrentNode::before(std::int64_t direction, const ir::Tensor& states,
                                 std::optional<std::size_t> initial) const {
  const ir::Tensor wide = ir::convert(states, ir::DType::f64);
  ir::Tensor found({ir::DType::f64, {n_.steps * n_.batch, n_.units}});
  const auto from = wide.as<double>();
  const auto to = found.as<double>();
  for (const Run& run : runs_) {
    if (run.direction != direction) continue;
    for (std::int64_t s = 0; s < run.length; ++s)
      for (std::int64_t u = 0; u < n_.units; ++u) {
        double& state = to[static_cast<std::size_t>((run.position(s) * n_.batch + run.row) * n_.units + u)];
        if (s > 0)
          state = from[at(run, run.position(s - 1), u)];
        else if (initial)
          state = question_.in[*initial].as<double>()[at_end(run, u)];
      }
  }
  return ir::convert(found, core::compute_dtype(states.dtype()));
}

ir::Value RecurrentNode::as_outputs(judges::definitions::RecurrentNodes& nodes,
                                    const std::vector<ir::Value>& by_direction) const {
  std::vector<ir::Value> parts;
  for (const ir::Value one : by_direction) parts.push_back(nodes.reshape(one, {n_.steps, 1, n_.batch, n_.units}));
  return nodes.add(ir::ops::Concat{1}, parts);
}

void RecurrentNode::end_runs(Limited& limited) const {
  for (const Run& run : runs_)
    for (std::int64_t t = run.length; t < n_.steps; ++t)
      for (std::int64_t u = 0; u < n_.units; ++u) {
        limited.truth.as<double>()[at(run, t, u)] = 0;
        limited.probable.as<double>()[at(run, t, u)] = limited.certain.as<double>()[at(run, t, u)] = 0;
        if (limited.chance) limited.chance->as<double>()[at(run, t, u)] = 0;
      }
}

OutputJudgement RecurrentNode::steps_within(std::size_t k, Limited limited) const {
  end_runs(limited);
  OutputJudgement output = elements_within(question_, k, std::move(limited));
  set_wild_apart(output, false);
  return output;
}

OutputJudgement RecurrentNode::last_within(std::size_t k, std::size_t of, const Limited& steps,
                                           std::optional<std::size_t> initial) const {
  Limited limited(question_.out_type(k).shape);
  if (steps.chance) limited.chance.emplace(limited.truth.type());
  for (const Run& run : runs_)
    for (std::int64_t u = 0; u < n_.units; ++u) {
      const std::size_t to = at_end(run, u);
      if (run.length == 0) {
        if (initial) limited.truth.as<double>()[to] = question_.in[*initial].as<double>()[to];
        continue;
      }
      const std::size_t from = at(run, run.position(run.length - 1), u);
      limited.truth.as<double>()[to] = steps.truth.as<double>()[from];
      if (!is_alike(got_[k].as<double>()[to], got_[of].as<double>()[from])) continue;
      limited.probable.as<double>()[to] = steps.probable.as<double>()[from];
      limited.certain.as<double>()[to] = steps.certain.as<double>()[from];
      if (limited.chance) limited.chance->as<double>()[to] = steps.chance->as<double>()[from];
    }
  OutputJudgement output = elements_within(question_, k, std::move(limited));
  set_wild_apart(output, true);
  return output;
}

void RecurrentNode::set_wild_apart(OutputJudgement& output, bool is_last) const {
  bool is_any = false;
  std::vector<bool> apart(static_cast<std::size_t>(output.truth.elements()), false);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    std::vector<std::int64_t> steps = beyond_[i];
    for (std::int64_t s = std::max<std::int64_t>(wild_[i], 0); s < run.length; ++s) steps.push_back(s);
    for (const std::int64_t s : steps)
      for (std::int64_t u = 0; u < n_.units && (!is_last || s + 1 == run.length || s >= wild_[i]); ++u)
        apart[is_last ? at_end(run, u) : at(run, run.position(s), u)] = is_any = true;
  }
  if (!is_any || output.allowed.limits == nullptr) return;
  auto limits = std::make_shared<compare::Limits>(*output.allowed.limits);
  for (std::size_t i = 0; i < limits->apart.size(); ++i) apart[i] = apart[i] || limits->apart[i];
  limits->apart = std::move(apart);
  output.allowed.limits = std::move(limits);
}

Judgement RecurrentNode::with_wild_apart(Judgement judgement) const {
  for (std::size_t k = 0; k < judgement.outputs.size(); ++k)
    set_wild_apart(judgement.outputs[k], question_.out_type(k).shape != n_.all_states());
  return judgement;
}

}  // namespace plumb::parity::judges
