// Judges one output with a fault in it, as verify would, and bisects to the smallest share of the fault that is seen.
#include "parity/power/bench.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parity/checks/samples/replay_check.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/profile/profile_arithmetic.hpp"
#include "parity/settle/feeds.hpp"
#include "parity/settle/settle.hpp"

namespace plumb::parity::power {
namespace {

using faults::Numbers;

bool same_bits(const ir::TensorView& a, const ir::TensorView& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

/// How the candidate computed an output, and how many standard deviations its limits allow for.
bounds::Manner manner_of(const cases::Executors& executors, const cases::NodeResult& result, const faults::Site& site) {
  bounds::Manner manner{profile::arithmetic_of(executors, result.sums, site.segment.graph), site.flushes_subnormals};
  manner.arithmetic.deviations = result.lambda;
  return manner;
}

/// The truth and the limits of a segment on what it was fed.
bounds::Bounded evaluated(const settle::Subject& subject, const judges::ExtraJudges* extra) {
  return judges::evaluate(subject.reference, subject.segment, settle::widened_feeds(subject), subject.manner, extra);
}

}  // namespace

Bench::Bench(const Options& options, const cases::Executors& executors, const cases::Case& subject,
             const cases::NodeResult& result, const faults::Site& site, const ir::Tensor& got,
             std::vector<const ir::Tensor*> outputs)
    : options_(options),
      graph_(subject.file->graph),
      case_(subject),
      result_(result),
      site_(site),
      got_(got),
      perfect_(faults::tensor_of(site.type, site.truth)),
      fed_(site.inputs()),
      inputs_(fed_.begin(), fed_.end()),
      manner_(manner_of(executors, result, site)),
      subject_{executors.reference, site.segment, inputs_, result_.sums, manner_},
      bounded_(evaluated(subject_, options.extra_judges.get())),
      judge_(subject_, bounded_, std::move(outputs), options.extra_judges.get()),
      rounding_(checks::samples::RoundingSample::of(subject_, site.output, bounded_.truth.outputs[site.output],
                                                    {subject.seed, result.name()})) {
  if (!judge_.judges_elements()) {
    judge_.compare(site.output, got, result_);
    honest_units_ = result_.local.ratio();
    return;
  }
  effect_.emplace(truth(), settle::exact_limits(subject_, site.output, bounded_, site.type.dtype), site.type.dtype,
                  compare::largest_over_rms(policy::false_alarms(options.gate), result.lambda));
  effect_->add(got);
  if (!executors.candidate_is_host) add_native();
}

/// Adds the reference's output in the candidate's own dtypes to the honest evaluations.
void Bench::add_native() try {
  effect_->add(settle::evaluate_natively(subject_, site_.output));
} catch (const ir::Error&) {  // it has no kernel for these dtypes: then the clean run speaks alone
}

/// Whether verify would fail it, as it would the result of an executor, and by what.
CaughtBy Bench::refusal_of(const ir::Tensor& tensor) {
  judge_.compare(site_.output, tensor, result_);
  if (result_.gated().n_without_limit > 0) return CaughtBy::nothing;
  const auto judged = policy::judge_numbers(options_.gate, graph_, result_, truth(), tensor);
  if (judged.verdict == core::Verdict::failed) return CaughtBy::limit;
  result_.statistics = {};
  if (rounding_ && result_.local.agrees()) result_.statistics = rounding_->judge(tensor);
  return policy::is_refused_by_statistics(options_.gate, result_, judged) ? CaughtBy::statistics : CaughtBy::nothing;
}

/// Whether this element alone is refused, among those that the candidate gave.
bool Bench::is_refused_alone(const ir::Tensor& tensor, std::uint64_t element) {
  ir::Tensor one = got_;
  const std::size_t width = ir::info(one.dtype()).bytes, at = static_cast<std::size_t>(element) * width;
  std::ranges::copy(tensor.bytes().subspan(at, width), one.bytes().subspan(at, width).begin());
  return refusal_of(one) != CaughtBy::nothing;
}

/// Whether the sample that verify adds up again does not have the bits that the kernel's record gives.
bool Bench::is_refuted(const ir::Tensor& tensor) const {
  return checks::samples::replay_sample(subject_, site_.output, truth(), tensor,
                                        {case_.seed, result_.name() + ".replay"})
      .refutes();
}

/// How far a result is off before any element is looked at.
compare::Comparison Bench::compared_at_first(const ir::Tensor& tensor) {
  if (judge_.judges_elements()) return compare::compare(truth(), tensor, judge_.whole(site_.output));
  judge_.compare(site_.output, tensor, result_);
  return result_.local;
}

/// d (verdict.md V74): of what is judged together by the ratios of its units, whatever they are.
double Bench::effect_of(const ir::Tensor& tensor) {
  if (effect_) return effect_->of(got_, tensor);
  judge_.compare(site_.output, tensor, result_);
  const double ratio = result_.local.ratio();
  if (ratio == 0) return 0;
  return honest_units_ > 0 ? ratio / std::min(honest_units_, 1.0) : std::numeric_limits<double>::infinity();
}

Bench::Detection Bench::detect(const Numbers& faulty, double share) {
  const ir::Tensor tensor = faults::planted(site_, faulty, share);
  const compare::Comparison first = compared_at_first(tensor);
  Size size{.share = share};
  if (!first.worst.empty()) {
    const compare::Worst& worst = first.worst.front();
    if (ir::unit_roundoff(site_.type.dtype) > 0)
      size.ulp = std::abs(worst.got - worst.expected) / compare::ulp_of(worst.expected, site_.type.dtype);
    size.ratio = worst.ratio;
    // Elements are held to limits of their own: the worst, which is looked at term by term, saves looking at the
    // others.
    if (!first.agrees() && !result_.gates_total && judge_.judges_elements() &&
        policy::decides_by_bound(options_.gate, result_) && is_refused_alone(tensor, worst.index))
      return {CaughtBy::limit, size};
  }
  return {refusal_of(tensor), size};
}

/// By bisection of the exponent: of the fault's share where it is caught, of a magnification where it is not.
std::optional<Size> Bench::smallest(const Numbers& faulty, Outcome outcome) {
  if (!ir::is_float(site_.type.dtype)) return {};
  for (std::size_t i = 0; i < faulty.size(); ++i)
    if (faulty[i] != site_.got[i] && !(std::isfinite(faulty[i]) && std::isfinite(site_.got[i]))) return {};
  constexpr int octaves = 48, steps = 9;
  double low = outcome == Outcome::caught ? -octaves : 0, high = outcome == Outcome::caught ? 0 : octaves;
  std::optional<Size> found;
  for (int step = 0; step <= steps; ++step) {
    const double exponent = step == 0 ? high : (low + high) / 2;
    const Detection one = detect(faulty, std::exp2(exponent));
    if (step == 0 && !one.is_caught()) return {};
    if (one.is_caught()) found = one.size;
    if (step > 0) (one.is_caught() ? high : low) = exponent;
  }
  return found;
}

/// Why what was just judged passed: where all that the fault changed is not judged, for that.
Reason Bench::reason_of(const ir::Tensor& tensor) const {
  const auto& limits = result_.allowed.limits;
  if (!limits || limits->apart.empty()) return Reason::within_limit;
  const Numbers numbers = faults::numbers_of(tensor);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != site_.got[i] && !limits->apart[i]) return Reason::within_limit;
  return Reason::apart;
}

Trial Bench::attempt(const faults::Fault& fault, const Numbers& faulty, faults::Place place) {
  Trial trial{.fault = &fault, .place = place};
  const ir::Tensor tensor = faults::planted(site_, faulty);
  if (same_bits(tensor, got_) || same_bits(tensor, perfect_)) return trial;
  trial.effect = effect_of(tensor);
  const Detection whole = detect(faulty, 1);
  trial.caught_by = whole.by;
  trial.size = whole.size;
  if (!whole.is_caught()) {
    trial.reason = reason_of(tensor);
    if (policy::looks_at_replays(options_.gate, result_) && is_refuted(tensor)) {
      trial.caught_by = CaughtBy::replay;
      trial.reason = Reason::none;
    }
  }
  const bool is_caught = trial.caught_by != CaughtBy::nothing;
  trial.outcome = is_caught ? Outcome::caught : trial.effect < 1 ? Outcome::no_effect : Outcome::missed;
  const bool is_one_of_many = place != faults::Place::whole || fault.name.starts_with("scaled_");
  if (options_.smallest && !is_one_of_many && trial.outcome != Outcome::no_effect)
    trial.smallest = smallest(faulty, whole.is_caught() ? Outcome::caught : Outcome::missed);
  return trial;
}

}  // namespace plumb::parity::power
