#include "parity/power/power.hpp"

#include <chrono>
#include <cmath>

#include "parity/policy/policy_gate.hpp"
#include "parity/power/faults/inner.hpp"
#include "parity/power/faults/witness.hpp"
#include "parity/profile/profile_arithmetic.hpp"
#include "parity/samples/statistics.hpp"

namespace plumb::parity::power {
namespace {

using faults::Numbers;
using faults::Site;

bool same_bits(const ir::TensorView& a, const ir::TensorView& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

/// One output, as verify judged it, and whatever else could have come.
class Bench {
 public:
  Bench(const Options& options, const ir::Graph& graph, const cases::NodeResult& result, const ir::TensorView& truth,
        const Site& site, const ir::TensorView& got, const samples::RoundingSample* rounding)
      : options_(options), graph_(graph), result_(result), truth_(truth), site_(site), got_(got), rounding_(rounding) {}

  Trial attempt(const faults::Fault& fault, const Numbers& faulty);

 private:
  struct Detection {
    bool is_caught = false;
    Size size = {};
  };

  Detection detect(const Numbers& faulty, double share);
  std::optional<Size> smallest(const Numbers& faulty, Outcome outcome);

  const Options& options_;
  const ir::Graph& graph_;
  cases::NodeResult result_;  ///< what a gate looks at
  const ir::TensorView truth_;
  const Site& site_;
  const ir::TensorView got_;
  const samples::RoundingSample* const rounding_;  ///< the sample of its sums, where it has such
};

Bench::Detection Bench::detect(const Numbers& faulty, double share) {
  const ir::Tensor tensor = faults::planted(site_, faulty, share);
  result_.local = compare::compare(truth_, tensor, result_.allowed);
  const auto verdict = policy::judge_numbers(options_.gate, graph_, result_, truth_, tensor);
  Size size{.share = share};
  if (!result_.local.worst.empty()) {
    const compare::Worst& worst = result_.local.worst.front();
    if (ir::unit_roundoff(site_.type.dtype) > 0)
      size.ulp = std::abs(worst.got - worst.expected) / compare::ulp_of(worst.expected, site_.type.dtype);
    size.ratio = worst.ratio;
  }
  const bool is_caught = verdict.verdict == core::Verdict::failed;
  const bool is_sampled = rounding_ != nullptr && policy::decides_by_bound(options_.gate, result_);
  return {is_caught || (is_sampled && !rounding_->judge(tensor).finding.empty()), size};
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
    if (step == 0 && !one.is_caught) return {};
    if (one.is_caught) found = one.size;
    if (step > 0) (one.is_caught ? high : low) = exponent;
  }
  return found;
}

Trial Bench::attempt(const faults::Fault& fault, const Numbers& faulty) {
  Trial trial{.fault = &fault};
  const ir::Tensor tensor = faults::planted(site_, faulty), perfect = faults::tensor_of(site_.type, site_.truth);
  if (same_bits(tensor, got_) || same_bits(tensor, perfect)) return trial;
  const Detection whole = detect(faulty, 1);
  trial.outcome = whole.is_caught ? Outcome::caught : Outcome::missed;
  trial.size = whole.size;
  trial.smallest = smallest(faulty, trial.outcome);
  return trial;
}

/// Whether there is a verdict that a fault could overturn: not where something is wrong already, or on a host.
bool holds(core::Verdict verdict) { return verdict == core::Verdict::passed || verdict == core::Verdict::mistrusted; }

/// Plants faults beside every output that verify compares.
class Planter final : public cases::Observer {
 public:
  Planter(const cases::Case& subject, const cases::Executors& executors, const faults::Witness& witness,
          const Options& options, cases::Observer& progress)
      : subject_(subject), executors_(executors), witness_(witness), options_(options), progress_(progress) {}

  void step(std::string_view what, std::size_t done, std::size_t steps) override { progress_.step(what, done, steps); }
  void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override;

  std::vector<NodePower> nodes;

 private:
  void plant_inside(const Site& site, Bench& bench, NodePower& node) const;
  std::optional<samples::RoundingSample> rounding_of(const Site& site, const cases::NodeResult& result,
                                                     const ir::TensorView& truth) const;

  const cases::Case& subject_;
  const cases::Executors& executors_;
  const faults::Witness& witness_;
  const Options& options_;
  cases::Observer& progress_;
};

void Planter::compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) {
  const ir::Graph& graph = subject_.file->graph;
  const auto is_captured = [&](ir::Value v) { return graph.is_source(v) || witness_.now().contains(v); };
  const core::Segment segment = core::segment_of(graph, result.node, is_captured);
  auto site = faults::site_of(witness_, graph, subject_.feeds, result.node, segment, result.output, truth, got,
                              executors_.reference);
  if (!site) return;
  site->flushes_subnormals = policy::may_flush(options_.gate, executors_.flushes_subnormals);
  NodePower node{result.name(), result.op, result.type, result.verdict, result.why, result.vacuity};
  if (node.verdict == core::Verdict::passed && node.vacuity.score() > options_.max_vacuity) {
    node.verdict = core::Verdict::mistrusted;
    node.why = "the data prove little: " + node.vacuity.text();
  }
  if (holds(node.verdict)) {
    const auto rounding = rounding_of(*site, result, truth);
    Bench bench(options_, graph, result, truth, *site, got, rounding ? &*rounding : nullptr);
    for (const faults::Fault& fault : faults::all_faults())
      if (policy::glob_matches(options_.faults, fault.name))
        if (const auto faulty = fault.plant(*site)) node.trials.push_back(bench.attempt(fault, *faulty));
    plant_inside(*site, bench, node);
  }
  nodes.push_back(std::move(node));
}

/// The sample of an output's sums by which verify judges how they are rounded.
std::optional<samples::RoundingSample> Planter::rounding_of(const Site& site, const cases::NodeResult& result,
                                                            const ir::TensorView& truth) const {
  if (truth.dtype() != ir::DType::f64) return std::nullopt;
  const std::vector<ir::Tensor> fed = site.inputs();
  const std::vector<ir::TensorView> inputs(fed.begin(), fed.end());
  const bounds::Manner manner{profile::arithmetic_of(executors_.profile, result.sums, site.segment.graph),
                              site.flushes_subnormals};
  const elements::Subject subject{executors_.reference, site.segment, inputs, result.sums, manner};
  return samples::RoundingSample::of(subject, site.output, ir::Tensor(truth), {subject_.seed, result.name()});
}

/// In the nodes that were fused into this one.
void Planter::plant_inside(const Site& site, Bench& bench, NodePower& node) const {
  for (const std::size_t n : faults::inner_nodes(site)) {
    const faults::Inner inner(site, n);
    for (const faults::Fault& fault : faults::faults_of_computation()) {
      if (!policy::glob_matches(options_.faults, fault.name)) continue;
      const auto faulty = fault.plant(inner.site());
      if (!faulty) continue;
      node.trials.push_back(bench.attempt(fault, inner.carried_out(*faulty)));
      node.trials.back().inside = site.segment.graph.nodes()[n].label;
    }
  }
}

}  // namespace

ir::Feeds earlier_feeds(const cases::Case& subject) try {
  ir::Feeds feeds = subject.feeds;
  const ir::Feeds other = ir::formats::materialise(*subject.file, subject.seed + 1);
  for (const std::string& name : subject.file->graph.inputs())
    if (const auto found = other.find(name); found != other.end() && found->second.type() == feeds.at(name).type())
      feeds.at(name) = found->second;
  return feeds;
} catch (const ir::Error&) {  // a file that is gone: then there was no earlier run
  return {};
}

std::size_t Result::count(Outcome outcome) const {
  std::size_t count = 0;
  for (const NodePower& node : nodes)
    for (const Trial& trial : node.trials) count += trial.fault->required && trial.outcome == outcome;
  return count;
}

double Result::score() const {
  const auto caught = static_cast<double>(count(Outcome::caught)), missed = static_cast<double>(count(Outcome::missed));
  return caught + missed > 0 ? caught / (caught + missed) : compare::not_computed;
}

Result measure(const cases::Case& subject, const cases::Executors& executors, const Options& options,
               cases::Observer& progress) {
  if (executors.candidate == nullptr) throw ir::Unsupported(executors.why_not);
  const auto start = std::chrono::steady_clock::now();
  faults::Witness witness(*executors.candidate, earlier_feeds(subject));
  cases::Executors watched = executors;
  watched.candidate = &witness;
  Planter planter(subject, executors, witness, options, progress);
  const cases::CaseResult clean =
      verify::verify(subject, watched, {.filter = options.filter, .gate = options.gate}, planter);
  if (!clean.message.empty()) ir::fail(subject.name, ": ", clean.message);
  Result result{clean.subject, std::string(witness.name()), std::move(planter.nodes)};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace plumb::parity::power
