// Plants faults of every family, and holds exit codes to what they have to be.
#include "parity/studies/selfcheck/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "parity/core/parallel.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/power/power.hpp"
#include "parity/studies/selfcheck/gate_graphs.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::studies::selfcheck {
namespace {

using power::faults::Fault;

using Family = std::pair<std::string_view, std::span<const Fault>>;

std::array<Family, 12> families() {
  using namespace power::faults;
  return {Family{"values", faults_of_values()},
          {"layout", faults_of_layout()},
          {"memory", faults_of_memory()},
          {"rounding", faults_of_rounding()},
          {"precision", faults_of_precision()},
          {"sums", faults_of_sums()},
          {"partial sums", faults_of_partial_sums()},
          {"lines", faults_of_lines()},
          {"operands", faults_of_operands()},
          {"attributes", faults_of_attributes()},
          {"attention", faults_of_attention()},
          {"epilogues", faults_of_epilogues()}};
}

bool is_of(std::span<const Fault> family, const Fault& fault) {
  return std::ranges::any_of(family, [&](const Fault& one) { return one.name == fault.name; });
}

power::Result measured(const SmallCase& one, const cases::Executors& executors, const power::Options& options) {
  cases::Observer nobody;
  return power::measure(filled(one), executors, options, nobody);
}

std::string joined(std::span<const std::string> texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

constexpr double usual_power = 0.90;

/// Families of mistakes that are as large as the numbers are: elements, tiles and rows that are others.
constexpr std::array<std::string_view, 3> gross_families = {"values", "layout", "memory"};

std::string seen_text(const Planted& planted) {
  return fmt::format("{} of {} faults of {} families are refused", planted.caught, planted.required, planted.families);
}

}  // namespace

Planted plant_faults(const cases::Executors& executors, const policy::Gate* gate) {
  const power::Result result = measured(graph_of_faults(), executors, {.gate = gate, .smallest = false});
  Planted planted;
  for (const auto& [name, family] : families()) {
    std::size_t caught = 0;
    for (const power::NodePower& node : result.nodes)
      for (const power::Trial& trial : node.trials) {
        if (!trial.is_required() || !is_of(family, *trial.fault)) continue;
        const bool is_caught = trial.outcome == power::Outcome::caught;
        planted.required += is_caught || trial.outcome == power::Outcome::missed;
        caught += is_caught;
      }
    planted.caught += caught;
    ++planted.families;
    if (caught == 0) planted.unseen.emplace_back(name);
  }
  return planted;
}

Found faults_are_seen(const cases::Executors& executors) {
  const Planted planted = plant_faults(executors, nullptr);
  const bool are_enough = static_cast<double>(planted.caught) >= usual_power * static_cast<double>(planted.required);
  if (planted.unseen.empty() && are_enough) return ok(seen_text(planted));
  const std::string none = planted.unseen.empty() ? "" : "; none of " + joined(planted.unseen);
  return failed(seen_text(planted) + none, "this build judges wrongly: use none of its verdicts, and report it");
}

Found policy_can_fail(const cases::Executors& executors, const policy::Gate& gate) {
  const Planted planted = plant_faults(executors, &gate);
  std::vector<std::string> unseen;
  for (const std::string_view gross : gross_families)
    if (std::ranges::find(planted.unseen, gross) != planted.unseen.end()) unseen.emplace_back(gross);
  if (unseen.empty()) return ok("by it " + seen_text(planted));
  return failed(
      gate.policy.file + " passes what is plainly wrong: by it " + seen_text(planted) + ", none of " + joined(unseen),
      "hold nodes to tighter limits (`plumb power GRAPH --policy` says which faults pass)");
}

Found host_is_no_device(ir::Executor& host) {
  const cases::Executors executors{.reference = host, .candidate = &host, .candidate_is_host = false};
  cases::Observer nobody;
  const cases::CaseResult result = verify::verify(filled(graph_to_pass()), executors, {}, nobody);
  const core::Demands demands{.verified = true};
  const core::ExitCode code = core::exit_code(verify::ends_of(std::span(&result, 1)), demands);
  if (code == core::ExitCode::mistrusted) return ok("a graph that the host ran for the device is not verified: 4");
  return failed(fmt::format("a graph that the host ran for the device ends with {} under --require-verified, wanted 4",
                            static_cast<int>(code)),
                "this build takes the host for the device: report it");
}

double refused_share(const cases::Executors& executors) {
  const power::Result result = measured(
      graph_to_pass(), executors, {.faults = std::string(fault_of_one_element), .filter = std::string(result_label)});
  for (const power::NodePower& node : result.nodes)
    for (const power::Trial& trial : node.trials)
      if (trial.place == power::faults::Place::whole && trial.smallest) return trial.smallest->share;
  ir::fail("an element of the wrong sign is not refused");
}

Found end_as_wanted(std::span<const Trial> trials, const RunProgram& run) {
  std::vector<int> codes(trials.size());
  std::vector<std::exception_ptr> problems(trials.size());
  core::for_each_piece(trials.size(), core::workers_for(trials.size()), [&](std::size_t k, std::size_t) {
    try {
      codes[k] = run(trials[k]);
    } catch (...) {
      problems[k] = std::current_exception();
    }
  });
  std::vector<std::string> good, bad;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    if (problems[k]) std::rethrow_exception(problems[k]);
    const int wanted = static_cast<int>(trials[k].wanted);
    if (codes[k] == wanted)
      good.push_back(fmt::format("{}: {}", trials[k].what, wanted));
    else
      bad.push_back(fmt::format("{}: {}, wanted {}", trials[k].what, codes[k], wanted));
  }
  if (bad.empty()) return ok(joined(good));
  return failed(joined(bad), "a gate that ends so says nothing: look at what it is started with, or report it");
}

}  // namespace plumb::parity::studies::selfcheck
