// How much relative errors of a node's operands grow: by the derivatives of recorded elements.
#include <cmath>
#include <map>
#include <utility>

#include "parity/element/tape.hpp"
#include "parity/studies/lint/node_sampler.hpp"

namespace plumb::parity::studies::lint {
namespace {

constexpr double most_steps = 2'000;  ///< reads of an element whose steps are recorded
constexpr std::uint64_t recorded_elements = 8;

/// Whether a step adds: what a function alone makes of relative errors is nothing that cancels.
bool adds(const element::Step& step) {
  using Kind = element::Step::Kind;
  return step.kind == Kind::add || step.kind == Kind::term || step.kind == Kind::behind;
}

}  // namespace

/// By element, the relative error of the result over those of the operands, which are independent of one another.
void NodeSampler::weigh_conditions(NodeSample& made) {
  if (made.reads > most_steps || !ir::is_float(out_->dtype)) return;
  is_recorded_ = true;
  draw_ = Draw::typical;
  for (std::uint64_t k = 0; k < recorded_elements; ++k) {
    if (spent_ > most_spent_) break;
    round_ = k;
    element::Tape tape(static_cast<std::size_t>(16 * most_steps));
    const element::Recording recording(tape);
    const auto y = element_at(position(k));
    if (!y || y->re.step == 0 || y->re.value == 0 || !std::isfinite(y->re.value)) continue;
    const std::vector<double> by = tape.adjoints(y->re.step);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> moved;  // by element of an operand
    bool is_sum = false;
    for (std::uint32_t step = 1; step <= y->re.step; ++step) {
      is_sum |= adds(tape[step]);
      if (tape[step].kind == element::Step::Kind::operand)
        moved[{tape[step].a, tape[step].b}] += by[step] * tape[step].value;
    }
    if (!is_sum) continue;
    double squares = 0;
    for (const auto& [at, change] : moved) squares += change * change;
    const double growth = std::sqrt(squares) / std::abs(static_cast<double>(y->re.value));
    if (std::isfinite(growth)) made.conditions.push_back(growth);
  }
  is_recorded_ = false;
}

}  // namespace plumb::parity::studies::lint
