#include "parity/studies/sweep/precision_savings.hpp"

#include <set>

namespace plumb::parity::studies::sweep {
namespace {

using Labels = std::set<std::string>;

/// Labels of both graphs, in groups: those of nodes that are one kernel in either.
class Groups {
 public:
  void add(const Timed& timed) {
    const auto& nodes = timed.graph.nodes();
    for (const ir::Node& node : nodes) number(node.label);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (const auto other = numbers_.find(timed.reports[n].kernel); other != numbers_.end())
        parents_[root(number(nodes[n].label))] = root(other->second);
  }
  std::size_t of(const std::string& label) { return root(numbers_.at(label)); }

 private:
  std::size_t number(const std::string& label) {
    const auto [found, is_new] = numbers_.emplace(label, parents_.size());
    if (is_new) parents_.push_back(found->second);
    return found->second;
  }
  std::size_t root(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  std::map<std::string, std::size_t> numbers_;
  std::vector<std::size_t> parents_;
};

/// The nodes of the plan that every node is there for: of those that the plan brought, what reads them.
std::map<std::string, Labels> owners_of(const Timed& before, const Timed& after,
                                        const ir::passes::PrecisionPlan& plan) {
  Labels old;
  for (const ir::Node& node : before.graph.nodes()) old.insert(node.label);
  std::map<std::string, Labels> owners;
  const auto& nodes = after.graph.nodes();
  for (std::size_t n = nodes.size(); n-- > 0;) {  // readers come after what they read
    const ir::Node& node = nodes[n];
    Labels& own = owners[node.label];
    if (plan.contains(node.label)) own.insert(node.label);
    for (const ir::Value v : node.inputs) {
      const auto producer = after.graph.producer(v);
      if (!producer || old.contains(nodes[*producer].label)) continue;
      owners[nodes[*producer].label].insert(own.begin(), own.end());
    }
  }
  return owners;
}

}  // namespace

std::map<std::string, double> savings(const Timed& before, const Timed& after, const ir::passes::PrecisionPlan& plan) {
  Groups groups;
  groups.add(before);
  groups.add(after);
  std::map<std::size_t, double> saved;
  bool is_timed = false;
  const auto count = [&](const Timed& timed, double sign) {
    for (std::size_t n = 0; n < timed.reports.size(); ++n) {
      const auto spent = timed.reports[n].nanoseconds;
      saved[groups.of(timed.graph.nodes()[n].label)] += sign * static_cast<double>(spent.value_or(0));
      is_timed |= spent.value_or(0) > 0;
    }
  };
  count(before, 1);
  count(after, -1);
  if (!is_timed) return {};
  std::map<std::size_t, Labels> sharers;
  for (const auto& [label, owners] : owners_of(before, after, plan))
    sharers[groups.of(label)].insert(owners.begin(), owners.end());
  std::map<std::string, double> by_node;
  for (const auto& [group, owners] : sharers)
    for (const std::string& owner : owners) by_node[owner] += saved[group] / static_cast<double>(owners.size());
  return by_node;
}

}  // namespace plumb::parity::studies::sweep
