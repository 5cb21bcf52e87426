// Fitted limits as rules of a policy: written anew, or put into one that exists without touching its other lines.
#include "parity/studies/fit/fit_policy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/policy/policy_ratchet.hpp"

namespace plumb::parity::studies::fit {
namespace {

constexpr auto head = "schema = \"plumb-policy/1\"\n";

/// A basic string of TOML.
std::string toml_string(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      made += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      made += c;
  }
  return made + '"';
}

std::string match_of(const FittedRule& rule) {
  std::string text = "match = { op = " + toml_string(rule.group.op);
  const std::pair<const char*, const std::string&> keys[] = {{"node", rule.node},
                                                             {"in", rule.group.in},
                                                             {"dtype", rule.group.dtype},
                                                             {"accumulation", rule.group.accumulation},
                                                             {"device", rule.group.device}};
  for (const auto& [key, value] : keys)
    if (!value.empty()) text += fmt::format(", {} = {}", key, toml_string(value));
  return text + " }\n";
}

std::string output_text(const FittedOutput& one, const Provenance& from, const std::string& reason) {
  std::string text = toml_string(one.output) + " = { ";
  for (const policy::Requirement& limit : one.limits)
    text += fmt::format("{} = {}, ", ir::enum_name(limit.measure), limit.limit.number);
  if (!reason.empty()) text += "reason = " + toml_string(reason) + ", ";
  return text + fmt::format(
                    "source = \"fitted\", fit = {{ n_seeds = {}, n_samples = {}, method = \"gumbel-lmoments\", "
                    "false_alarm = {:.6g}, confidence = {:g}, at = {}, commit = {}, software = {} }} }}\n",
                    one.n_seeds, one.n_samples, one.false_alarm, from.options.confidence, toml_string(from.at),
                    toml_string(from.commit), one.is_software);
}

std::string rule_text(const FittedRule& rule, const Provenance& from, const std::string& reason) {
  std::string text = "[[rule]]\nid = " + toml_string(rule.id()) + "\n" + match_of(rule);
  const bool is_ratio = rule.measure == policy::Measure::ratio_max;  // which is held to the bound by itself
  text += fmt::format("require = {{ {}{} = {} }}\nsource = \"fitted\"\n", is_ratio ? "" : "bound = \"auto\", ",
                      ir::enum_name(rule.measure), rule.limit);
  if (!reason.empty()) text += "reason = " + toml_string(reason) + "\n";
  return text + fmt::format(
                    "fit = {{ n_seeds = {}, n_samples = {}, n_nodes = {}, method = \"gumbel-lmoments\", "
                    "location = {:.6g}, scale = {:.6g}, false_alarm = {:.6g}, confidence = {:g}, at = {}, "
                    "commit = {}, software = {} }}\n",
                    rule.n_seeds, rule.n_samples, rule.n_nodes, rule.gumbel.location, rule.gumbel.scale,
                    rule.false_alarm, from.options.confidence, toml_string(from.at), toml_string(from.commit),
                    rule.is_software);
}

policy::Rule parsed(const FittedRule& rule, const Provenance& from) {
  return policy::parse(head + rule_text(rule, from, ""), "fit").rules.at(0);
}

/// The one requirement that a fitted rule has besides the bound.
const policy::Requirement& requirement_of(const policy::Policy& policy, const policy::Rule& rule) {
  const std::vector<policy::Requirement>& all = rule.require;
  const auto is_fitted_one = [](const policy::Requirement& first, std::size_t count) {
    const bool is_other = first.measure == policy::Measure::sigma_max || first.measure == policy::Measure::misrounded;
    return first.limit.expression.empty() &&
           (is_other ? count == 2 : count == 1 && first.measure == policy::Measure::ratio_max);
  };
  ir::require(rule.is_fitted && !all.empty() && is_fitted_one(all[0], all.size()), policy::where(policy, rule),
              ": was not fitted, or changed by hand since");
  return all[0];
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size() - 1);
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += '\n';
  return lines;
}

/// The lines of a rule as `rule_text` writes them: up to a blank line, a comment or another table.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < lines.size() && std::string_view("\n\r#[").find(lines[end][0]) == std::string_view::npos) ++end;
  return end;
}

class Update {
 public:
  Update(const policy::Policy& old, const Provenance& from, const std::string& reason)
      : old_(old), from_(from), reason_(reason), lines_(lines_of(old.text)) {}

  void put(const FittedRule& rule);
  void put(const FittedOutput& output);
  Updated finish();

 private:
  void replace(const policy::Rule& before, const FittedRule& rule);
  void insert(const FittedRule& rule);

  const policy::Policy& old_;
  const Provenance& from_;
  const std::string& reason_;
  std::vector<std::string> lines_;  ///< the old text's lines; others go in front of one, or in its place
  std::vector<std::string> notes_;
  std::string appended_, outputs_;  ///< text behind all of it, and behind [output]
};

void Update::put(const FittedRule& rule) {
  const auto before = std::ranges::find(old_.rules, rule.id(), &policy::Rule::id);
  if (before == old_.rules.end())
    insert(rule);
  else
    replace(*before, rule);
}

void Update::replace(const policy::Rule& before, const FittedRule& rule) {
  const policy::Requirement& was = requirement_of(old_, before);
  const double limit = was.limit.number;
  if (was.measure != rule.measure && reason_.empty()) {
    notes_.push_back(fmt::format("{} stays as it is, {} at {:.4g}: whether {} at {:.4g} is looser cannot be told",
                                 rule.id(), ir::enum_name(was.measure), limit, ir::enum_name(rule.measure),
                                 rule.limit));
    return;
  }
  if (rule.limit > limit && reason_.empty()) {
    notes_.push_back(fmt::format("{} stays at {:.4g}: {:.4g} would be looser", rule.id(), limit, rule.limit));
    return;
  }
  const std::size_t begin = before.line - 1, end = end_of(lines_, begin);
  for (std::size_t line = begin; line < end; ++line) lines_[line].clear();
  lines_[begin] = rule_text(rule, from_, rule.limit > limit || was.measure != rule.measure ? reason_ : before.reason);
}

void Update::insert(const FittedRule& rule) {
  const policy::Rule made = parsed(rule, from_);
  const auto hides = [&](const policy::Rule& one) { return !one.expires && policy::covers(one, made); };
  const auto hiding = std::ranges::find_if(old_.rules, hides);
  // It may loosen what that rule, or the bound, decides now: then it says why.
  const std::string reason = hiding == old_.rules.end() ? "" : reason_;
  if (hiding == old_.rules.end())
    appended_ += "\n" + rule_text(rule, from_, reason);
  else
    lines_[hiding->line - 1] = rule_text(rule, from_, reason) + "\n" + lines_[hiding->line - 1];
}

/// Whether every limit is at most the one of the same measure.
bool is_no_looser(const FittedOutput& now, const policy::OutputBudget& before) {
  return std::ranges::all_of(before.require, [&](const policy::Requirement& old) {
    const auto found = std::ranges::find(now.limits, old.measure, &policy::Requirement::measure);
    return found != now.limits.end() && old.limit.expression.empty() && found->limit.number <= old.limit.number;
  });
}

void Update::put(const FittedOutput& output) {
  const auto before = std::ranges::find(old_.outputs, output.output, &policy::OutputBudget::output);
  if (before == old_.outputs.end()) {
    outputs_ += output_text(output, from_, "");
    return;
  }
  const bool is_tighter = is_no_looser(output, *before);
  if (!before->is_fitted || (!is_tighter && reason_.empty())) {
    notes_.push_back(fmt::format("[output] '{}' stays as it is: {}", output.output,
                                 before->is_fitted ? "what was fitted now would be looser" : "it was not fitted"));
    return;
  }
  lines_[before->line - 1] = output_text(output, from_, is_tighter ? before->reason : reason_);
}

Updated Update::finish() {
  const auto is_head = [](const std::string& line) { return line.starts_with("[output]"); };
  const auto head_of_outputs = std::ranges::find_if(lines_, is_head);
  if (head_of_outputs != lines_.end())
    *head_of_outputs += outputs_;
  else if (!outputs_.empty())
    appended_ += "\n[output]\n" + outputs_;
  Updated made;
  for (const std::string& line : lines_) made.text += line;
  made.text += appended_;
  made.notes = std::move(notes_);
  const auto looser = policy::ratchet(policy::parse(made.text, old_.file), old_, policy::today());
  if (!looser.empty()) ir::fail(looser.front());
  return made;
}

bool is_of_software(const Fit& fit) {
  return std::ranges::any_of(fit.rules, &FittedRule::is_software) ||
         std::ranges::any_of(fit.outputs, &FittedOutput::is_software);
}

}  // namespace

std::string policy_text(const Fit& fit, const Provenance& from) {
  std::string text = head;
  if (is_of_software(fit)) text += "# Fitted to software devices: it says nothing of real ones.\n";
  text += fmt::format("\n[budget]\nfalse_alarm_per_run = {:g}\n", from.options.false_alarm_per_run);
  if (!fit.outputs.empty()) text += "\n[output]\n";
  for (const FittedOutput& output : fit.outputs) text += output_text(output, from, "");
  for (const FittedRule& rule : fit.rules) text += "\n" + rule_text(rule, from, "");
  return text;
}

Updated updated_policy(const policy::Policy& old, const Fit& fit, const Provenance& from,
                       const std::string& allow_loosen) {
  const auto require_software_too = [&](bool is_fitted, bool to_software, const std::string& where) {
    ir::require(!is_of_software(fit) || !is_fitted || to_software, where,
                ": is fitted to a real device; results of software devices do not go into that policy");
  };
  for (const policy::Rule& rule : old.rules)
    require_software_too(rule.is_fitted, rule.is_fitted_to_software, policy::where(old, rule));
  for (const policy::OutputBudget& one : old.outputs)
    require_software_too(one.is_fitted, one.is_fitted_to_software, fmt::format("{}:{}", old.file, one.line));
  Update update(old, from, allow_loosen);
  for (const FittedOutput& output : fit.outputs) update.put(output);
  for (const FittedRule& rule : fit.rules) update.put(rule);
  return update.finish();
}

}  // namespace plumb::parity::studies::fit
