// The report on planted faults as tables: by node, by fault, and every required one that was missed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parity/power/power.hpp"
#include "parity/terminal/table.hpp"

namespace plumb::parity::power {
namespace {

struct Counts {
  std::size_t caught = 0, missed = 0, no_effect = 0;

  void add(Outcome outcome) {
    ++(outcome == Outcome::caught ? caught : outcome == Outcome::missed ? missed : no_effect);
  }
  std::string share() const { return caught + missed == 0 ? "-" : fmt::format("{}/{}", caught, caught + missed); }
};

Counts required_of(const NodePower& node) {
  Counts counts;
  for (const Trial& trial : node.trials)
    if (trial.fault->required) counts.add(trial.outcome);
  return counts;
}

/// "3.2 ulp, 0.41 of the bound".
std::string text_of(const Size& size) {
  return fmt::format("{} ulp, {} of the bound", terminal::short_number(size.ulp), terminal::short_number(size.ratio));
}

std::string missed_line(const NodePower& node, const Trial& trial) {
  const std::string place = trial.inside.empty() ? "" : trial.inside + ", fused into ";
  std::string text =
      fmt::format("missed {} at {}{} ({}): {}", trial.fault->name, place, node.name, node.op, text_of(trial.size));
  if (trial.smallest) text += fmt::format("; caught from {} times it", terminal::short_number(trial.smallest->share));
  return text + '\n';
}

/// The smallest fault of all that would be caught at a node, in ulps.
double least_ulp(const NodePower& node) {
  double least = compare::not_computed;
  for (const Trial& trial : node.trials)
    if (trial.smallest) least = std::fmin(least, trial.smallest->ulp);
  return least;
}

/// Every fault that was tried, in the order of the library, others behind.
std::vector<const faults::Fault*> planted_in(const Result& result) {
  std::vector<const faults::Fault*> found;
  for (const NodePower& node : result.nodes)
    for (const Trial& trial : node.trials)
      if (std::ranges::find(found, trial.fault) == found.end()) found.push_back(trial.fault);
  const auto place = [](const faults::Fault* fault) {
    const auto all = faults::all_faults();
    const bool is_of_library = fault >= all.data() && fault < all.data() + all.size();
    return is_of_library ? fault - all.data() : std::ssize(all);
  };
  std::ranges::stable_sort(found, {}, place);
  return found;
}

}  // namespace

std::string to_table(const Result& result) {
  terminal::TextTable table({"node", "op", "dtype", "caught", "no effect", "least ulp", "vacuity", "verdict"}, 3);
  std::string missed;
  for (const NodePower& node : result.nodes) {
    const Counts counts = required_of(node);
    table.row({node.name, node.op, std::string(ir::info(node.type.dtype).name), counts.share(),
               std::to_string(counts.no_effect), terminal::short_number(least_ulp(node)),
               fmt::format("{:.2f}", node.vacuity.score()), std::string(ir::enum_name(node.verdict))});
    if (!node.why.empty()) table.note(node.why);
    for (const Trial& trial : node.trials)
      if (trial.fault->required && trial.outcome == Outcome::missed) missed += missed_line(node, trial);
  }
  const std::size_t caught = result.count(Outcome::caught), tried = caught + result.count(Outcome::missed);
  return table.text() + missed +
         fmt::format("{}: power {} | {} of {} required faults caught, {} without effect | {} | seed {} | {:.1f} s\n",
                     result.subject.name, tried == 0 ? "-" : fmt::format("{:.3f}", result.score()), caught, tried,
                     result.count(Outcome::no_effect), result.candidate, result.subject.seed, result.seconds);
}

std::string by_fault(const Result& result) {
  terminal::TextTable table({"fault", "required", "caught", "no effect", "least ulp", "least ratio"}, 2);
  for (const faults::Fault* const fault : planted_in(result)) {
    Counts counts;
    Size least;
    for (const NodePower& node : result.nodes)
      for (const Trial& trial : node.trials) {
        if (trial.fault != fault) continue;
        counts.add(trial.outcome);
        if (!trial.smallest) continue;
        least.ulp = std::fmin(least.ulp, trial.smallest->ulp);
        least.ratio = std::fmin(least.ratio, trial.smallest->ratio);
      }
    table.row({std::string(fault->name), fault->required ? "yes" : "no", counts.share(),
               std::to_string(counts.no_effect), terminal::short_number(least.ulp),
               terminal::short_number(least.ratio)});
  }
  return table.text();
}

}  // namespace plumb::parity::power
