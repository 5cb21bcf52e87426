#include "parity/results/judged_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/raw/glob.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/policy/policy_lax.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/results/idle_quarantines.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/stored_facts.hpp"

namespace plumb::parity::results {
namespace {

/// Whether the policy holds the vacuity of outputs to a limit, and no run says any.
bool has_idle_vacuity(const policy::Policy& policy, std::span<const JudgedRun> runs) {
  return policy.budget.max_vacuity && std::ranges::none_of(runs, [](const JudgedRun& run) {
           return std::ranges::any_of(run.nodes, [](const JudgedNode& node) { return !std::isnan(node.vacuity); });
         });
}

policy::Numbers numbers_of(const Node& row) {
  return {.largest = row.ref_absmax, .norm1 = row.ref_norm1, .norm2 = row.ref_norm2};
}

/// How many outputs each rule and each budget decides that would pass as zeros, too.
struct AsZeros {
  std::vector<std::size_t> rules, budgets;

  AsZeros(const policy::Policy& policy, std::chrono::sys_days today, std::span<const JudgedRun> runs)
      : rules(policy.rules.size()), budgets(policy.outputs.size()) {
    for (const JudgedRun& run : runs)
      if (run.source) count(policy, today, run);
  }

 private:
  void count(const policy::Policy& policy, std::chrono::sys_days today, const JudgedRun& judged) {
    ResultsFile& file = *judged.source;
    const Run& run = file.runs().at(judged.run);
    const auto& local = file.local_rows(run);
    for (std::size_t i = 0; i < std::min(local.size(), judged.nodes.size()); ++i) {
      const JudgedNode& node = judged.nodes[i];
      if (!node.was_compared) continue;
      const Node& row = file.rows()[local[i]];
      const policy::Facts facts = facts_of(file, run, row);
      if (node.rule && row.ref_absmax > 0)
        rules[*node.rule] += policy::passes_zeros(policy.rules[*node.rule], facts, numbers_of(row), today);
      const Node* const total = file.total_of(local[i]);
      for (std::size_t b = 0; total != nullptr && total->ref_absmax > 0 && b < budgets.size(); ++b)
        if (ir::raw::glob_matches(policy.outputs[b].output, node.name))
          budgets[b] += policy::passes_zeros(policy.outputs[b], facts, numbers_of(*total), today);
    }
  }
};

std::string as_zeros_text(std::size_t count) {
  return fmt::format("gates nothing: {} that {} would do so as zeros", core::terminal::counted(count, "output"),
                     count == 1 ? "passes" : "pass");
}

}  // namespace

std::vector<std::string> lint(const policy::Policy& policy, std::chrono::sys_days today,
                              std::span<const JudgedRun> runs) {
  std::vector<std::string> findings = policy::lint(policy, today);
  std::vector<std::size_t> used(policy.rules.size()), loose(policy.rules.size());
  std::vector<std::string> names;
  for (const JudgedRun& run : runs)
    for (const JudgedNode& node : run.nodes) {
      if (!node.was_compared) continue;
      names.push_back(node.name);
      if (!node.rule) continue;
      ++used[*node.rule];
      loose[*node.rule] += !node.within_bound && node.verdict == core::Verdict::passed;
    }
  const AsZeros zeros(policy, today, runs);
  for (std::size_t r = 0; r < policy.rules.size(); ++r) {
    const policy::Rule& rule = policy.rules[r];
    if (zeros.rules[r] > 0) findings.push_back(policy::finding_at(policy, rule) + as_zeros_text(zeros.rules[r]));
    if (used[r] == 0 && !policy::is_expired(rule, today))
      findings.push_back(policy::finding_at(policy, rule) + "unused: it decides no output");
    if (loose[r] > 0)
      findings.push_back(policy::finding_at(policy, rule) +
                         fmt::format("looser than the bound: {} outputs pass that the bound fails", loose[r]));
  }
  for (std::size_t b = 0; b < policy.outputs.size(); ++b)
    if (zeros.budgets[b] > 0)
      findings.push_back(fmt::format("{}:{}: [output] '{}' {}", policy.file, policy.outputs[b].line,
                                     policy.outputs[b].output, as_zeros_text(zeros.budgets[b])));
  for (std::string& finding : policy::idle_budgets(policy, names)) findings.push_back(std::move(finding));
  for (std::string& finding : idle_quarantines(policy, today, runs)) findings.push_back(std::move(finding));
  if (has_idle_vacuity(policy, runs))
    findings.push_back(fmt::format("{}:{}: [budget] max_vacuity unused: no run says the vacuity of an output",
                                   policy.file, policy.budget.line));
  return findings;
}

}  // namespace plumb::parity::results
