// Plants every fault beside every compared output, in all of it and in parts, and counts what the verdict notices.
#include "parity/power/power.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "ir/raw/glob.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/power/bench.hpp"
#include "parity/power/faults/inner.hpp"
#include "parity/power/faults/witness.hpp"

namespace plumb::parity::power {
namespace {

using faults::Site;

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
  void plant(const Site& site, Bench& bench, NodePower& node) const;
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
  site->sums = result.sums;
  site->set_tile(result.tile);
  NodePower node{result.name(), result.op, result.type, result.verdict, result.why, result.vacuity};
  if (node.verdict == core::Verdict::passed && node.vacuity.score() > options_.max_vacuity) {
    node.verdict = core::Verdict::mistrusted;
    node.why = "the data prove little: " + node.vacuity.text();
  }
  const bool judges_nothing = result.local.n > 0 && result.local.n_apart == result.local.n;
  node.has_verdict = holds(node.verdict) && !result.replays.refutes() && !judges_nothing;
  if (node.has_verdict) {
    const ir::Tensor clean(got);
    std::vector<const ir::Tensor*> outputs;
    for (const ir::Value v : graph.nodes()[result.node].outputs)
      outputs.push_back(witness_.now().contains(v) ? &witness_.now().at(v) : nullptr);
    Bench bench(options_, executors_, subject_, result, *site, clean, std::move(outputs));
    plant(*site, bench, node);
    plant_inside(*site, bench, node);
  }
  nodes.push_back(std::move(node));
}

/// In what was stored, or in the only node.
void Planter::plant(const Site& site, Bench& bench, NodePower& node) const {
  for (const faults::Fault& fault : faults::all_faults()) {
    if (!ir::raw::glob_matches(options_.faults, fault.name)) continue;
    const auto faulty = fault.plant(site);
    if (!faulty) continue;
    node.trials.push_back(bench.attempt(fault, *faulty, faults::Place::whole));
    if (!faults::may_be_in_part(fault)) continue;
    for (const auto place : {faults::Place::tile, faults::Place::line})
      if (const auto part = faults::placed(site, *faulty, place))
        node.trials.push_back(bench.attempt(fault, *part, place));
  }
}

/// In the nodes that were fused into this one.
void Planter::plant_inside(const Site& site, Bench& bench, NodePower& node) const {
  for (const std::size_t n : faults::inner_nodes(site)) {
    const faults::Inner inner(site, n);
    for (const faults::Fault& fault : faults::faults_of_computation()) {
      if (!ir::raw::glob_matches(options_.faults, fault.name)) continue;
      const auto faulty = fault.plant(inner.site());
      if (!faulty) continue;
      node.trials.push_back(bench.attempt(fault, inner.carried_out(*faulty), faults::Place::whole));
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

std::optional<int> NodePower::resolution() const {
  std::optional<int> finest;
  for (const Trial& trial : trials) {
    const std::string_view name = trial.fault->name;
    const bool is_scaled = name == "scaled" || name.starts_with("scaled_");
    if (!is_scaled || trial.place != faults::Place::whole || trial.outcome != Outcome::caught) continue;
    int s = 10;  // `scaled` has no number
    if (name.size() > 7) std::from_chars(name.data() + 7, name.data() + name.size(), s);
    finest = std::max(finest.value_or(s), s);
  }
  return finest;
}

std::size_t Result::count(Outcome outcome) const {
  std::size_t count = 0;
  for (const NodePower& node : nodes)
    for (const Trial& trial : node.trials)
      // A fault that changes nothing has no effect, required or not.
      count += trial.outcome == outcome && (trial.is_required() || outcome == Outcome::no_effect);
  return count;
}

std::size_t Result::count_below(Outcome outcome) const {
  std::size_t count = 0;
  for (const NodePower& node : nodes)
    for (const Trial& trial : node.trials) count += trial.outcome == outcome && !trial.is_required();
  return count;
}

std::size_t Result::without_verdict() const {
  return static_cast<std::size_t>(std::ranges::count(nodes, false, &NodePower::has_verdict));
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
