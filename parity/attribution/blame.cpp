// Shares of the results' errors by node: the reference runs again with the error of one suspect added at a time.
#include "parity/attribution/blame.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "ir/passes/widen.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/compare/difference.hpp"

namespace plumb::parity::attribution {
namespace {

double square(double x) { return x * x; }

/// The share of what reaches a node that is its own; all of it where a NaN met a number.
double own_share(const cases::NodeResult& node) {
  if (std::isnan(relative_error(node.local))) return 1;
  const double own = square(node.local.rms), all = own + square(node.inherited.rms);
  return all > 0 ? own / all : std::isnan(all) ? 1 : 0;
}

/// Values that a run of the reference gives when one node's error is added: only those that it changes.
struct Lane {
  std::size_t node = 0;
  ir::Tensors changed = {};
  bool is_refused = false;
};

/// The reference on the whole graph, once without and once for each lane with one error in it, all abreast, so that
/// only values that are still read are held.
class Lanes {
 public:
  Lanes(const Compared& run, ir::Executor& reference, std::span<const std::size_t> nodes);
  std::vector<std::vector<double>> run();

 private:
  void step(std::size_t n);
  void inject(Lane& lane, std::size_t n);
  void release(std::size_t n);
  ir::Tensor truth(ir::Value v) const {
    return run_.graph.is_source(v) ? ir::passes::widen(run_.device(v)) : truths_.at(v);
  }
  std::vector<double> shares_of(const Lane& lane) const;

  const Compared& run_;
  ir::Executor& reference_;
  std::vector<Lane> lanes_;
  ir::Tensors truths_;
  std::map<ir::Value, std::size_t> last_use_;
};

Lanes::Lanes(const Compared& run, ir::Executor& reference, std::span<const std::size_t> nodes)
    : run_(run), reference_(reference) {
  for (const std::size_t n : nodes) lanes_.push_back({n});
  const auto& all = run.graph.nodes();
  for (std::size_t n = 0; n < all.size(); ++n)
    for (const auto& values : {all[n].inputs, all[n].outputs})
      for (const ir::Value v : values) last_use_[v] = n;
  for (const ir::Value v : run.graph.results()) last_use_[v] = all.size();
}

/// Evaluates the node on the truth, and again in each lane where one of its operands has changed.
void Lanes::step(std::size_t n) {
  const ir::Node& node = run_.graph.nodes()[n];
  const core::Segment segment = core::segment_of(run_.graph, n);
  const auto program = reference_.compile(ir::passes::widen(segment.graph), {}, {segment.outputs});
  const auto evaluate = [&](const core::Lookup& fed) { return program->run(core::feeds_of(segment, fed)); };
  ir::Tensors plain = evaluate([this](ir::Value v) { return truth(v); });
  for (std::size_t k = 0; k < node.outputs.size(); ++k)
    truths_.insert_or_assign(node.outputs[k], std::move(plain.at(segment.outputs[k])));
  for (Lane& lane : lanes_) {
    const auto is_changed = [&](ir::Value v) { return lane.changed.contains(v); };
    if (lane.node == n) inject(lane, n);
    if (lane.is_refused || std::ranges::none_of(segment.fed, is_changed)) continue;
    try {
      ir::Tensors made = evaluate([&](ir::Value v) { return is_changed(v) ? lane.changed.at(v) : truth(v); });
      for (std::size_t k = 0; k < node.outputs.size(); ++k)
        lane.changed.insert_or_assign(node.outputs[k], std::move(made.at(segment.outputs[k])));
    } catch (const ir::Error&) {  // an index that the error makes too large
      lane.is_refused = true;
    }
  }
}

/// Adds the node's local error to what it makes of the truth.
void Lanes::inject(Lane& lane, std::size_t n) {
  const ir::Node& node = run_.graph.nodes()[n];
  const auto here = core::evaluate_widened(reference_, run_.segment(n),
                                           [this](ir::Value v) { return ir::passes::widen(run_.device(v)); });
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    const ir::Value v = node.outputs[k];
    if (!run_.is_kept(v)) continue;
    lane.changed.insert_or_assign(
        v, compare::with_error(truths_.at(v), here.outputs[k], ir::passes::widen(run_.device(v))));
  }
}

void Lanes::release(std::size_t n) {
  const auto is_done = [&](const auto& held) { return last_use_.at(held.first) <= n; };
  std::erase_if(truths_, is_done);
  for (Lane& lane : lanes_) std::erase_if(lane.changed, is_done);
}

std::vector<double> Lanes::shares_of(const Lane& lane) const {
  std::vector<double> shares;
  for (const ir::Value v : run_.graph.results()) {
    const auto changed = lane.changed.find(v);
    const compare::Difference error(truth(v), ir::passes::widen(run_.device(v)));
    if (lane.is_refused)
      shares.push_back(compare::not_computed);
    else if (changed == lane.changed.end())
      shares.push_back(error.squares() > 0 ? 0 : compare::not_computed);
    else
      shares.push_back(compare::Difference(truth(v), changed->second).part_of(error));
  }
  return shares;
}

std::vector<std::vector<double>> Lanes::run() {
  for (std::size_t n = 0; n < run_.graph.nodes().size(); ++n) {
    step(n);
    release(n);
  }
  std::vector<std::vector<double>> all;
  for (const Lane& lane : lanes_) all.push_back(shares_of(lane));
  return all;
}

}  // namespace

std::vector<std::size_t> suspects(const Compared& run, std::span<const cases::NodeResult> nodes, std::size_t most) {
  std::map<ir::Value, const cases::NodeResult*> compared;
  for (const cases::NodeResult& node : nodes)
    if (node.hash) compared.emplace(run.graph.nodes()[node.node].outputs[node.output], &node);
  const auto error_of = [&](ir::Value v) {
    const auto found = compared.find(v);
    const double error = found == compared.end() ? 0 : relative_error(found->second->of_run());
    return std::isnan(error) ? 1 : square(error);
  };
  std::map<ir::Value, double> reaching;
  for (const ir::Value v : run.graph.results()) reaching[v] += 1;
  std::vector<double> suspicion(run.graph.nodes().size(), -1);
  for (std::size_t n = run.graph.nodes().size(); n-- > 0;)
    for (const ir::Value v : run.graph.nodes()[n].outputs) {
      const auto found = compared.find(v);
      if (found == compared.end()) continue;
      const double own = own_share(*found->second), here = reaching[v];
      suspicion[n] = std::max(suspicion[n], 0.0) + own * here +
                     (found->second->is_guilty ? 2.0 * static_cast<double>(nodes.size()) : 0);
      double inputs = 0;
      for (const ir::Value fed : run.segment(n).fed) inputs += error_of(fed);
      for (const ir::Value fed : run.segment(n).fed)
        if (inputs > 0) reaching[fed] += (1 - own) * here * error_of(fed) / inputs;
    }
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < suspicion.size(); ++n)
    if (suspicion[n] >= 0) order.push_back(n);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return suspicion[a] > suspicion[b]; });
  order.resize(std::min(order.size(), most));
  return order;
}

std::vector<std::vector<double>> shares(const Compared& run, ir::Executor& reference,
                                        std::span<const std::size_t> nodes) {
  return Lanes(run, reference, nodes).run();
}

void assign_blame(cases::CaseResult& result, const Compared& run, ir::Executor& reference, std::size_t most) {
  if (most == 0 || result.nodes.empty()) return;
  const auto blamed = suspects(run, result.nodes, most);
  std::vector<std::vector<double>> all;
  try {
    all = shares(run, reference, blamed);
  } catch (const ir::Error&) {
    return;  // the reference refuses what the candidate ran: that was said of the node
  }
  for (std::size_t i = 0; i < blamed.size(); ++i)
    for (cases::NodeResult& node : result.nodes)
      if (node.node == blamed[i]) node.blame = all[i];
}

}  // namespace plumb::parity::attribution
