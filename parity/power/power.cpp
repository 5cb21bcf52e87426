// Plants every fault beside every compared output, and bisects to the smallest size that the verdict notices.
#include "parity/power/power.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/power/faults/inner.hpp"
#include "parity/power/faults/witness.hpp"
#include "parity/profile/profile_arithmetic.hpp"
#include "parity/samples/statistics.hpp"

namespace plumb::parity::power {
namespace {

using faults::Numbers;
using faults::Site;

bool same_bits(const ir::TensorView& a, const ir::TensorView& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

/// One output, as verify judged it, and whatever else could have come: every faulty result takes the path by which
/// verify came to its verdict.
class Bench {
 public:
  Bench(const Options& options, const cases::Executors& executors, const cases::Case& subject,
        const cases::NodeResult& result, const Site& site, const ir::Tensor& got,
        std::vector<const ir::Tensor*> outputs);

  Trial attempt(const faults::Fault& fault, const Numbers& faulty);

 private:
  struct Detection {
    bool is_caught = false;
    Size size = {};
  };

  Detection detect(const Numbers& faulty, double share);
  compare::Comparison compared_at_first(const ir::Tensor& tensor);
  bool is_refused(const ir::Tensor& tensor);
  bool is_refused_alone(const ir::Tensor& tensor, std::uint64_t element);
  std::optional<Size> smallest(const Numbers& faulty, Outcome outcome);
  const ir::Tensor& truth() const { return judge_.truth(site_.output); }

  const Options& options_;
  const ir::Graph& graph_;
  cases::NodeResult result_;  ///< what a gate looks at
  const Site& site_;
  const ir::Tensor& got_;
  const std::vector<ir::Tensor> fed_;
  const std::vector<ir::TensorView> inputs_;
  const bounds::Manner manner_;
  const elements::Subject subject_;
  bounds::Bounded bounded_;
  judges::NodeJudge judge_;
  const std::optional<samples::RoundingSample> rounding_;  ///< the sample of its sums, where it has such
};

/// How the candidate computed an output, and how many standard deviations its limits allow for.
bounds::Manner manner_of(const cases::Executors& executors, const cases::NodeResult& result, const Site& site) {
  bounds::Manner manner{profile::arithmetic_of(executors.profile, result.sums, site.segment.graph),
                        site.flushes_subnormals};
  manner.arithmetic.deviations = result.lambda;
  return manner;
}

/// The truth and the limits of a segment on what it was fed.
bounds::Bounded evaluated(const elements::Subject& subject, const judges::ExtraJudges* extra) {
  ir::Feeds fed;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i)
    fed.emplace(subject.segment.graph.inputs()[i], ir::passes::widen(subject.inputs[i]));
  return judges::evaluate(subject.reference, subject.segment, fed, subject.manner, extra);
}

Bench::Bench(const Options& options, const cases::Executors& executors, const cases::Case& subject,
             const cases::NodeResult& result, const Site& site, const ir::Tensor& got,
             std::vector<const ir::Tensor*> outputs)
    : options_(options),
      graph_(subject.file->graph),
      result_(result),
      site_(site),
      got_(got),
      fed_(site.inputs()),
      inputs_(fed_.begin(), fed_.end()),
      manner_(manner_of(executors, result, site)),
      subject_{executors.reference, site.segment, inputs_, result_.sums, manner_},
      bounded_(evaluated(subject_, options.extra_judges.get())),
      judge_(subject_, bounded_, std::move(outputs), options.extra_judges.get()),
      rounding_(samples::RoundingSample::of(subject_, site.output, bounded_.truth.outputs[site.output],
                                            {subject.seed, result.name()})) {}

/// Whether verify would fail it, as it would the result of an executor.
bool Bench::is_refused(const ir::Tensor& tensor) {
  judge_.compare(site_.output, tensor, result_);
  if (result_.gated().n_without_limit > 0) return false;
  const auto judged = policy::judge_numbers(options_.gate, graph_, result_, truth(), tensor);
  if (judged.verdict == core::Verdict::failed) return true;
  result_.statistics = {};
  if (rounding_ && result_.local.agrees()) result_.statistics = rounding_->judge(tensor);
  return judges::is_refused_by_statistics(options_.gate, result_, judged);
}

/// Whether this element alone is refused, among those that the candidate gave.
bool Bench::is_refused_alone(const ir::Tensor& tensor, std::uint64_t element) {
  ir::Tensor one = got_;
  const std::size_t width = ir::info(one.dtype()).bytes, at = static_cast<std::size_t>(element) * width;
  std::ranges::copy(tensor.bytes().subspan(at, width), one.bytes().subspan(at, width).begin());
  return is_refused(one);
}

/// How far a result is off before any element is looked at.
compare::Comparison Bench::compared_at_first(const ir::Tensor& tensor) {
  if (judge_.judges_elements()) return compare::compare(truth(), tensor, judge_.whole(site_.output));
  judge_.compare(site_.output, tensor, result_);
  return result_.local;
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
      return {true, size};
  }
  return {is_refused(tensor), size};
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
    const ir::Tensor clean(got);
    std::vector<const ir::Tensor*> outputs;
    for (const ir::Value v : graph.nodes()[result.node].outputs)
      outputs.push_back(witness_.now().contains(v) ? &witness_.now().at(v) : nullptr);
    Bench bench(options_, executors_, subject_, result, *site, clean, std::move(outputs));
    for (const faults::Fault& fault : faults::all_faults())
      if (policy::glob_matches(options_.faults, fault.name))
        if (const auto faulty = fault.plant(*site)) node.trials.push_back(bench.attempt(fault, *faulty));
    plant_inside(*site, bench, node);
  }
  nodes.push_back(std::move(node));
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
      verify::verify(subject, watched,
                     {.filter = options.filter, .gate = options.gate, .extra_judges = options.extra_judges}, planter);
  if (!clean.message.empty()) ir::fail(subject.name, ": ", clean.message);
  Result result{clean.subject, std::string(witness.name()), std::move(planter.nodes)};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace plumb::parity::power
