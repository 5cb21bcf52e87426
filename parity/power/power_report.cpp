// The report on planted faults as tables: by node, by fault, and every required one that was missed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parity/core/terminal/table.hpp"
#include "parity/power/power.hpp"

namespace plumb::parity::power {
namespace {

struct Counts {
  std::size_t caught = 0, missed = 0, no_effect = 0, caught_below = 0, tried_below = 0;

  void add(const Trial& trial) {
    if (trial.outcome == Outcome::no_effect)
      ++no_effect;
    else if (trial.is_required())
      ++(trial.outcome == Outcome::caught ? caught : missed);
    else {
      caught_below += trial.outcome == Outcome::caught;
      ++tried_below;
    }
  }
  std::string share() const { return of(caught, caught + missed); }
  std::string share_below() const { return of(caught_below, tried_below); }

 private:
  static std::string of(std::size_t some, std::size_t all) { return all == 0 ? "-" : fmt::format("{}/{}", some, all); }
};

Counts counts_of(const NodePower& node) {
  Counts counts;
  for (const Trial& trial : node.trials) counts.add(trial);
  return counts;
}

/// "3.2 ulp, 0.41 of the bound".
std::string text_of(const Size& size) {
  return fmt::format("{} ulp, {} of the bound", core::terminal::short_number(size.ulp),
                     core::terminal::short_number(size.ratio));
}

std::string missed_line(const NodePower& node, const Trial& trial) {
  const std::string inside = trial.inside.empty() ? "" : trial.inside + ", fused into ";
  const std::string place =
      trial.place == faults::Place::whole ? "" : fmt::format(" in one {}", ir::enum_name(trial.place));
  const std::string reason = trial.reason == Reason::none ? "" : fmt::format(", {}", ir::enum_name(trial.reason));
  std::string text = fmt::format("missed {}{} at {}{} ({}): d {}, {}{}", trial.fault->name, place, inside, node.name,
                                 node.op, core::terminal::short_number(trial.effect), text_of(trial.size), reason);
  if (trial.smallest)
    text += fmt::format("; caught from {} times it", core::terminal::short_number(trial.smallest->share));
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

/// How many required faults each check caught: "limit 31, statistics 2".
std::string by_check(const Result& result) {
  std::map<CaughtBy, std::size_t> counts;
  for (const NodePower& node : result.nodes)
    for (const Trial& trial : node.trials)
      if (trial.is_required() && trial.outcome == Outcome::caught) ++counts[trial.caught_by];
  std::string text;
  for (const auto& [by, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ir::enum_name(by), count);
  return text;
}

}  // namespace

std::string to_table(const Result& result) {
  core::terminal::TextTable table(
      {"node", "op", "dtype", "caught", "d < 4", "no effect", "least ulp", "resolution", "vacuity", "verdict"}, 3);
  std::string missed;
  for (const NodePower& node : result.nodes) {
    const Counts counts = counts_of(node);
    const auto resolution = node.resolution();
    table.row({node.name, node.op, std::string(ir::info(node.type.dtype).name), counts.share(), counts.share_below(),
               std::to_string(counts.no_effect), core::terminal::short_number(least_ulp(node)),
               resolution ? fmt::format("2^-{}", *resolution) : "-", fmt::format("{:.2f}", node.vacuity.score()),
               std::string(node.has_verdict ? ir::enum_name(node.verdict) : "no verdict")});
    if (!node.why.empty()) table.note(node.why);
    for (const Trial& trial : node.trials)
      if (trial.is_required() && trial.outcome == Outcome::missed) missed += missed_line(node, trial);
  }
  const std::size_t caught = result.count(Outcome::caught), tried = caught + result.count(Outcome::missed);
  const std::size_t below = result.count_below(Outcome::caught), without = result.without_verdict();
  const std::string held =
      without == 0 ? "" : fmt::format(" of {} nodes that have a verdict", result.nodes.size() - without);
  const std::string none = without == 0 ? "" : fmt::format(" | {} nodes have no verdict", without);
  const std::string checks = caught == 0 ? "" : fmt::format(" ({})", by_check(result));
  return table.text() + missed +
         fmt::format(
             "{}: power {}{} | {} of {} required faults caught{}, {} of {} smaller ones, {} without effect{} | "
             "{} | seed {} | {:.1f} s\n",
             result.subject.name, tried == 0 ? "-" : fmt::format("{:.3f}", result.score()), held, caught, tried, checks,
             below, below + result.count_below(Outcome::missed), result.count(Outcome::no_effect), none,
             result.candidate, result.subject.seed, result.seconds);
}

std::string fault_table(const Result& result) {
  core::terminal::TextTable table({"fault", "caught", "d < 4", "no effect", "least ulp", "least ratio"}, 1);
  for (const faults::Fault* const fault : planted_in(result)) {
    Counts counts;
    Size least;
    for (const NodePower& node : result.nodes)
      for (const Trial& trial : node.trials) {
        if (trial.fault != fault) continue;
        counts.add(trial);
        if (!trial.smallest) continue;
        least.ulp = std::fmin(least.ulp, trial.smallest->ulp);
        least.ratio = std::fmin(least.ratio, trial.smallest->ratio);
      }
    table.row({std::string(fault->name), counts.share(), counts.share_below(), std::to_string(counts.no_effect),
               core::terminal::short_number(least.ulp), core::terminal::short_number(least.ratio)});
  }
  return table.text();
}

}  // namespace plumb::parity::power
