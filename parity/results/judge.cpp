#include "parity/results/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/attribute.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/results/stored_facts.hpp"

namespace plumb::parity::results {
namespace {

using results::no_number;

template <class E>
E known(results::Code<E> code, E otherwise) {
  return code.value < enum_names(E{}).size() ? static_cast<E>(code) : otherwise;
}

std::string text_of(const ir::hdf5::StoredValues& values, const std::string& name) {
  const auto found = values.find(name);
  const auto* text = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text != nullptr ? *text : "";
}

/// How a run's bound compares to the one that a policy wants.
policy::BoundWas bound_of(const policy::Policy& policy, const results::Run& run) {
  if (policy.subnormal == policy::SubnormalRule::profile) return policy::BoundWas::as_wanted;
  const bool flushes = policy.subnormal == policy::SubnormalRule::flush;
  const profile::Subnormals were = known(run.subnormals, profile::Subnormals::unknown);
  if (were == profile::Subnormals::unknown) return policy::BoundWas::unknown;
  if ((were == profile::Subnormals::flushed) == flushes) return policy::BoundWas::as_wanted;
  return flushes ? policy::BoundWas::tighter : policy::BoundWas::looser;
}

/// A results file, read once, judged run by run.
class Judge {
 public:
  Judge(const std::filesystem::path& path, const policy::Policy* policy, std::chrono::sys_days today,
        const std::string& explain);
  std::vector<JudgedRun> all();

 private:
  JudgedNode judge(std::size_t row, const results::Run& run);
  void decide(JudgedNode& node, const policy::Judgement& judgement, const results::Node& gated) const;
  const results::Node* total_of(std::size_t row) const;
  const std::vector<results::GraphNode>& graph(std::uint32_t id);
  const policy::Facts& device(std::uint32_t id);
  const policy::Policy& policy(std::uint32_t id);
  void judge_power(JudgedRun& judged, const results::Run& run);
  const std::string& name(std::uint32_t id) const {
    static const std::string unknown = "?";
    return id < names_.size() ? names_[id] : unknown;
  }

  const std::filesystem::path path_;
  const ir::hdf5::Store store_;
  const policy::Policy* const given_;
  const std::chrono::sys_days today_;
  const std::string& explain_;
  std::vector<std::string> names_;
  std::vector<results::Run> runs_;
  std::vector<results::Node> rows_;
  std::vector<results::TopElement> worst_;
  std::map<std::uint32_t, std::vector<results::GraphNode>> graphs_;
  std::map<std::uint32_t, policy::Facts> devices_;
  std::map<std::uint32_t, policy::Policy> policies_;
};

Judge::Judge(const std::filesystem::path& path, const policy::Policy* policy, std::chrono::sys_days today,
             const std::string& explain)
    : path_(path), store_(ir::hdf5::Store::open(path)), given_(policy), today_(today), explain_(explain) {
  results::require_results_file(store_);
  names_ = store_.read_texts("/names");
  runs_ = store_.read<results::Run>("/runs", results::run_type()).rows;
  rows_ = store_.read<results::Node>("/results/nodes", results::node_type()).rows;
  worst_ = store_.read<results::TopElement>("/results/topk", results::top_element_type()).rows;
  ir::require(worst_.size() == rows_.size() * compare::Comparison::worst_kept, path.string(), ": /results/topk has ",
              worst_.size(), " elements, wanted ", compare::Comparison::worst_kept, " for each of ", rows_.size(),
              " rows");
}

const std::vector<results::GraphNode>& Judge::graph(std::uint32_t id) {
  const auto [found, is_new] = graphs_.try_emplace(id);
  const std::string table = "/graph/" + name(id) + "/nodes";
  if (is_new && id != 0 && store_.contains(table))
    found->second = store_.read<results::GraphNode>(table, results::graph_node_type()).rows;
  return found->second;
}

const policy::Facts& Judge::device(std::uint32_t id) {
  const auto [found, is_new] = devices_.try_emplace(id);
  const std::string path = "/device/" + name(id);
  if (is_new && id != 0 && store_.contains(path)) {
    const auto values = store_.attributes(path);
    found->second =
        policy::device_facts(text_of(values, "name"), text_of(values, "driver_name"), text_of(values, "driver_info"));
    if (store_.contains(path + "/profile"))
      found->second.device_profile = text_of(store_.attributes(path + "/profile"), "profile_sha256");
  }
  return found->second;
}

/// The one that was given or, without, the file's own.
const policy::Policy& Judge::policy(std::uint32_t id) {
  if (given_ != nullptr) return *given_;
  const auto [found, is_new] = policies_.try_emplace(id);
  const std::string path = "/policy/" + name(id) + "/toml";
  if (is_new && id != 0) found->second = policy::parse(store_.read_text(path), path_.string() + ":" + path);
  return found->second;
}

/// A run that would not have caught enough has proved little by passing.
void Judge::judge_power(JudgedRun& judged, const results::Run& run) {
  judged.power = run.power;
  const policy::Policy& policy = this->policy(run.policy_id);
  const bool is_weak = policy.budget.min_power && judged.power < *policy.budget.min_power;
  if (!is_weak || judged.verdict != core::Verdict::passed) return;
  judged.verdict = core::Verdict::mistrusted;
  judged.why = fmt::format("its power is {:.3g}, at least {:.3g} is required: [budget] ({}:{})", judged.power,
                           *policy.budget.min_power, policy.file, policy.budget.line);
}

/// The total of the output whose local part is that row: they are written together.
const results::Node* Judge::total_of(std::size_t row) const {
  const results::Node& local = rows_[row];
  for (std::size_t r = row + 1; r < rows_.size(); ++r) {
    const results::Node& other = rows_[r];
    if (other.run != local.run || other.node != local.node || other.out != local.out) break;
    if (other.part == results::Part::total) return &other;
  }
  return nullptr;
}

void Judge::decide(JudgedNode& node, const policy::Judgement& judgement, const results::Node& gated) const {
  const bool gate_fails = judgement.verdict == core::Verdict::failed || judgement.verdict == core::Verdict::error;
  const bool was_gate = node.was == core::Verdict::passed || node.was == core::Verdict::xfailed ||
                        node.was == core::Verdict::xpassed ||
                        (node.was == core::Verdict::failed && (gated.n_bad > 0 || gated.rule >= 0));
  node.verdict = judgement.verdict;
  node.why = judgement.why;
  if (gate_fails || was_gate) return;
  node.verdict = node.was;
  node.why = node.was == core::Verdict::failed ? "failed for a reason that is not in its numbers"
                                               : "as it was: no policy changes that";
}

JudgedNode Judge::judge(std::size_t r, const results::Run& run) {
  const results::Node& row = rows_[r];
  const auto& nodes = graph(run.graph_id);
  ir::require(row.node < nodes.size(), "run ", run.run, " has a row of node ", row.node, ", its graph ", nodes.size(),
              " nodes");
  const results::GraphNode& of = nodes[row.node];
  JudgedNode node;
  node.name = name(of.name_id) + (row.out != 0 ? fmt::format(":{}", row.out) : "");
  const policy::Facts facts = facts_of(device(run.device_id), of, node.name, run.fill);
  node.op = facts.op;
  node.was = node.verdict = known(row.verdict, core::Verdict::error);
  node.was_compared = row.out_hash != no_number;
  node.vacuity = row.vacuity;
  const policy::Policy& policy = this->policy(run.policy_id);
  if (!node.was_compared) {
    if (node.was != core::Verdict::skipped || !policy::has_budget(policy, node.name)) return node;
    node.verdict = core::Verdict::error;
    node.why = "[output] holds its total error to a limit, and it was not measured";
    return node;
  }
  const results::Node* total = total_of(r);
  const bool gates_total = total != nullptr && known(total->verdict, core::Verdict::skipped) != core::Verdict::skipped;
  const results::Node& gated = gates_total ? *total : row;
  node.within_bound = gated.n_bad == 0;
  // Of several outputs the table holds the first one's dtype; ratios and ulps were taken with the right one.
  const auto dtype = of.dtype_out.value < ir::dtype_count ? static_cast<ir::DType>(of.dtype_out.value) : ir::DType::f64;
  const auto measured = [&](const results::Node& part) {
    const auto at = static_cast<std::size_t>(&part - rows_.data());
    return results::measured(part, worst_[at * compare::Comparison::worst_kept], dtype);
  };
  policy::Parts parts{measured(gated), {}};
  parts.local.bound = bound_of(policy, run);
  if (total != nullptr) parts.total = measured(*total);
  const policy::Judgement judgement = policy::judge(policy, facts, parts, today_);
  node.rule = judgement.rule;
  decide(node, judgement, gated);
  if (!explain_.empty() && policy::glob_matches(explain_, node.name))
    node.explanation = policy::explain(policy, facts, parts, today_);
  return node;
}

std::vector<JudgedRun> Judge::all() {
  std::map<std::uint32_t, std::vector<std::size_t>> local;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (rows_[r].part == results::Part::local) local[rows_[r].run].push_back(r);
  std::vector<JudgedRun> judged;
  for (const results::Run& run : runs_) {
    JudgedRun one{run.run, name(run.graph_id), device(run.device_id).device, run.seed};
    one.was = one.verdict = known(run.verdict, core::Verdict::error);
    std::vector<core::Verdict> verdicts;
    bool none_was_bad = true;
    for (const std::size_t r : local[run.run]) {
      one.nodes.push_back(judge(r, run));
      verdicts.push_back(one.nodes.back().verdict);
      none_was_bad &= one.nodes.back().was != core::Verdict::failed && one.nodes.back().was != core::Verdict::error;
    }
    // A run that failed or broke off by no node of its own stays as it was.
    const bool was_bad =
        one.was == core::Verdict::failed || one.was == core::Verdict::error || one.was == core::Verdict::unsupported;
    if (!verdicts.empty() && !(was_bad && none_was_bad))
      one.verdict = core::overall(std::span<const core::Verdict>(verdicts));
    judge_power(one, run);
    judged.push_back(std::move(one));
  }
  return judged;
}

}  // namespace

std::vector<JudgedRun> judge_results(const std::filesystem::path& path, const policy::Policy* policy,
                                     std::chrono::sys_days today, const std::string& explain) {
  return Judge(path, policy, today, explain).all();
}

std::vector<std::string> idle_budgets(const policy::Policy& policy, std::span<const JudgedRun> runs) {
  std::vector<std::string> names;
  for (const JudgedRun& run : runs)
    for (const JudgedNode& node : run.nodes) names.push_back(node.name);
  return policy::idle_budgets(policy, names);
}

std::string to_text(const std::vector<JudgedRun>& runs) {
  std::string text;
  std::map<core::Verdict, std::size_t> counts;
  std::size_t changed = 0;
  for (const JudgedRun& run : runs) {
    ++counts[run.verdict];
    changed += run.was != run.verdict;
    text += fmt::format("run {}: graph {}, device '{}', seed {}, {} outputs: {}{}{}{}\n", run.run, run.graph,
                        run.device, run.seed, run.nodes.size(), ir::enum_name(run.verdict),
                        run.was == run.verdict ? "" : fmt::format(" (was {})", ir::enum_name(run.was)),
                        run.why.empty() ? "" : ": ", run.why);
    for (const JudgedNode& node : run.nodes) {
      const bool is_quiet = node.verdict == core::Verdict::passed || node.verdict == core::Verdict::skipped;
      if (!is_quiet || node.was != node.verdict)
        text += fmt::format("  {} ({}): {}{}{}{}\n", node.name, node.op, ir::enum_name(node.verdict),
                            node.was == node.verdict ? "" : fmt::format(" (was {})", ir::enum_name(node.was)),
                            node.why.empty() ? "" : ": ", node.why);
      text += node.explanation;
    }
  }
  text += fmt::format("{} runs:", runs.size());
  for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}", count, ir::enum_name(verdict));
  return text + fmt::format("; {} changed\n", changed);
}

core::ExitCode exit_code(const std::vector<JudgedRun>& runs, bool strict) {
  std::vector<core::ExitCode> codes;
  for (const JudgedRun& run : runs) {
    core::ExitCode code = core::exit_code(run.verdict);
    if (strict && run.verdict == core::Verdict::mistrusted) code = core::ExitCode::mistrusted;
    if (strict && run.verdict == core::Verdict::xpassed) code = core::ExitCode::failed;
    codes.push_back(code);
  }
  return core::overall(std::span<const core::ExitCode>(codes));
}

}  // namespace plumb::parity::results
