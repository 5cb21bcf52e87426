// Limits in words and numbers, and the steps behind a verdict.
#include "parity/report/derivation.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ir/cost.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/report/node_report.hpp"

namespace plumb::parity::report {
namespace {

using Described = nlohmann::ordered_json;
using cases::LimitBy;
using core::Verdict;

/// The rules by which such limits are made, as the specification of verdicts numbers them.
std::vector<std::string_view> rules_of(LimitBy by, bool has_tree) {
  switch (by) {
    case LimitBy::sum:
      return {"V13", has_tree ? "V16" : "V17", "V18", "V52"};
    case LimitBy::line:
      return {"V63", "V67"};
    case LimitBy::norm:
      return {"V63", "V68"};
    case LimitBy::choice:
      return {"V64", "V70"};
    case LimitBy::exact:
    case LimitBy::bits:
      return {"V2"};
    case LimitBy::unknown:
    case LimitBy::function:
    case LimitBy::policy:
      break;
  }
  return {};
}

/// How many products or numbers an element of the output is a sum of; 0 where it is none, or its graph is not known.
std::int64_t terms_of(const cases::CaseResult& result, const cases::NodeResult& node) {
  if (!result.subject.file || node.node >= result.subject.file->graph.nodes().size()) return 0;
  const ir::Graph& graph = result.subject.file->graph;
  return std::max<std::int64_t>(0, ir::cost_of(graph, graph.nodes()[node.node]).contraction);
}

std::string text_of_limit(const cases::NodeResult& node, const cases::LimitParts& parts, std::int64_t terms) {
  switch (parts.by) {
    case LimitBy::sum: {
      if (!(parts.sigma > 0)) return "what the roundings of its sums may come to";
      std::string text = fmt::format("{:.3g} standard deviations of ", node.lambda);
      text += terms > 1 ? fmt::format("{} roundings", terms) : "the roundings of its sums";
      if (!node.sums.empty()) text += ": " + text_of_sum(node.sums.front());
      return text + "; and the rounding of the result";
    }
    case LimitBy::function:
      return "the contract of the function in ulps, and the rounding of the result (docs/accuracy.md)";
    case LimitBy::line:
      return "a share of the 2-norm of its line";
    case LimitBy::norm:
      return "a share of the norm of its matrix";
    case LimitBy::choice:
      return "a choice, which must be one that roundings leave open";
    case LimitBy::exact:
      return "the number that the definition gives, rounded to the dtype";
    case LimitBy::bits:
      return "the bits that the definition gives";
    case LimitBy::policy:
      return "a rule of the policy, not the arithmetic";
    case LimitBy::unknown:
      break;
  }
  return "";
}

Described positive(double x) { return x > 0 ? core::json_number(x) : Described(nullptr); }

/// Commands that follow from the one that repeats a node.
class Steps {
 public:
  explicit Steps(const std::string& repeated) : repeated_(repeated) {}

  void add(const std::string& why, const std::string& command) {
    if (steps_.size() < most) steps_.push_back({{"why", why}, {"command", command}});
  }
  /// The node again with these flags, where it does not have such already.
  void again(const std::string& why, const std::string& flags) {
    const std::string first = flags.substr(0, flags.find(' ', 1));
    if (!has(first)) add(why, repeated_ + flags);
  }
  bool has(const std::string& flag) const { return repeated_.find(flag) != std::string::npos; }
  Described get() && { return std::move(steps_); }

 private:
  static constexpr std::size_t most = 3;

  const std::string& repeated_;
  Described steps_ = Described::array();
};

void add_steps_of_failure(Steps& steps, const cases::NodeResult& node) {
  steps.add(node.patterns.empty() ? "does this node fail again, by itself?" : node.patterns.front().text, node.repro);
  steps.again("does it fail on operands that nothing before it spoiled?", " --mode isolate");
  if (!steps.has(" --candidate ") && node.placement == ir::Placement::gpu)
    steps.again("is it this kernel? its others, one after the other", " --each-kernel");
  steps.again("is it always so?", " --seeds 8");
}

void add_steps(Steps& steps, const cases::CaseResult& result, const cases::NodeResult& node) {
  switch (node.verdict) {
    case Verdict::failed:
      return add_steps_of_failure(steps, node);
    case Verdict::nondeterministic:
      return steps.again("how often do bits differ?", " --repeat 20");
    case Verdict::mistrusted:
      steps.again("numbers that would show a defect", " --fill adversarial --seeds 8");
      return steps.again("other inputs", " --seeds 8");
    case Verdict::fallback:
    case Verdict::unsupported:
      return steps.add(
          "why no kernel takes it",
          fmt::format(
              "plumb plan {}{}", core::terminal::shell_word(result.subject.name),
              result.subject.dtype ? fmt::format(" --dtype {}", ir::info(*result.subject.dtype).name) : std::string()));
    case Verdict::quarantined:
    case Verdict::xfailed:
    case Verdict::xpassed:
      if (steps.has(" --policy "))
        steps.again("which rule of the policy decides", " --explain " + core::terminal::shell_word(node.name()));
      return;
    case Verdict::out_of_range:
      return steps.again("with numbers that stay in range", " --seeds 8");
    case Verdict::error:
      return steps.add("the message again", node.repro);
    case Verdict::passed:
    case Verdict::skipped:
      break;
  }
}

}  // namespace

Described limit_json(const cases::CaseResult& result, const cases::NodeResult& node) {
  const compare::Comparison& judged = node.gated();
  const cases::LimitParts parts = cases::limit_parts(node);
  if (judged.worst.empty() || parts.by == LimitBy::unknown) return nullptr;
  const bool is_sum = parts.by == LimitBy::sum;
  const std::int64_t terms = is_sum ? terms_of(result, node) : 0;
  Described unit = nullptr, levels = nullptr;
  if (is_sum && !node.sums.empty()) {
    const ir::Sum& sum = node.sums.front();
    unit = fmt::format("{} {}", ir::enum_name(sum.unit), ir::info(sum.accumulator).name);
    levels = text_of_sum(sum);
  }
  return {{"value", core::json_number(judged.worst.front().allowed)},
          {"by", ir::enum_name(parts.by)},
          {"terms", terms > 0 ? Described(terms) : Described(nullptr)},
          {"sigma", positive(parts.sigma)},
          {"lambda", positive(node.lambda)},
          {"fixed", core::json_number(parts.fixed)},
          {"certain", positive(parts.certain)},
          {"unit", std::move(unit)},
          {"levels", std::move(levels)},
          {"rules", rules_of(parts.by, !node.sums.empty())},
          {"text", text_of_limit(node, parts, terms)}};
}

Described next_json(const cases::CaseResult& result, const cases::NodeResult& node) {
  if (node.repro.empty()) return Described::array();
  Steps steps(node.repro);
  add_steps(steps, result, node);
  return std::move(steps).get();
}

}  // namespace plumb::parity::report
