// Reads policies from TOML; every refusal names file, line and what was wanted.
#include "parity/policy/policy_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "ir/attribute.hpp"
#include "ir/dtype.hpp"
#include "ir/files/read_file.hpp"
#include "ir/op.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/toml_text.hpp"
#include "parity/policy/drift_rules.hpp"
#include "parity/policy/policy_reader.hpp"
#include "parity/policy/policy_words.hpp"

namespace plumb::parity::policy {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::size_t most_rules = 4096, most_patterns = 256;
constexpr int deepest_any = 4;
constexpr double rarest_alarm = 1e-290;  ///< numbers of limits divided by it stay finite

constexpr std::array text_selectors = {"op",   "node",  "in",   "dtype",  "accumulation", "kernel",
                                       "tile", "exact", "fill", "device", "driver",       "device_profile"};

std::string list_of(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace

void Reader::only(const toml::table& table, std::string_view where, const std::vector<std::string_view>& known) const {
  for (const auto& [key, value] : table)
    if (std::find(known.begin(), known.end(), text(key)) == known.end())
      refuse(value, where, ": wanted one of ", list_of(known), ", found '", text(key), "'",
             core::did_you_mean(text(key), {known.begin(), known.end()}));
}

const toml::table& Reader::table(const toml::node& node, std::string_view where) const {
  if (!node.is_table()) refuse(node, where, ": wanted a table, found ", core::kind_of(node));
  return *node.as_table();
}

std::string Reader::string(const toml::node& node, std::string_view where) const {
  if (!node.is_string()) refuse(node, where, ": wanted a string, found ", core::kind_of(node));
  std::string found = **node.as_string();
  if (found.empty()) refuse(node, where, ": wanted a string, found an empty one");
  return found;
}

double Reader::number(const toml::node& node, std::string_view where) const {
  if (!node.is_number()) refuse(node, where, ": wanted a number, found ", core::kind_of(node));
  const double found = *node.value<double>();
  if (!(found >= 0) || std::isinf(found)) refuse(node, where, ": wanted a finite number >= 0, found ", found);
  return found;
}

std::string Reader::choice(const toml::node& node, std::string_view where,
                           const std::vector<std::string_view>& choices) const {
  const std::string found = string(node, where);
  if (std::find(choices.begin(), choices.end(), found) == choices.end())
    refuse(node, where, ": wanted one of ", list_of(choices), ", found '", found, "'",
           core::did_you_mean(found, {choices.begin(), choices.end()}));
  return found;
}

void Reader::special(const toml::table& special) {
  policy_.special_line = special.source().begin.line;
  only(special, "[special]", {"nan", "inf", "signed_zero", "subnormal", "reason"});
  for (const auto& [key, value] : special) {
    const auto where = ir::cat("[special] ", text(key));
    const toml::node& given = value;
    const auto one_of = [&]<class E>(E) {
      const auto names = enum_names(E{});
      return ir::enum_value<E>(choice(given, where, {names.begin(), names.end()})).value();
    };
    if (text(key) == "nan")
      policy_.nan = one_of(NanRule{});
    else if (text(key) == "subnormal")
      policy_.subnormal = one_of(SubnormalRule{});
    else if (text(key) == "reason")
      policy_.special_reason = string(value, where);
    else
      choice(value, where, {text(key) == "inf" ? std::string_view("match-sign") : std::string_view("ignore")});
  }
}

void Reader::budget(const toml::table& budget) {
  const std::pair<std::string_view, std::optional<double> Budget::*> shares[] = {
      {"false_alarm_per_run", &Budget::false_alarm_per_run},
      {"min_power", &Budget::min_power},
      {"max_vacuity", &Budget::max_vacuity}};
  only(budget, "[budget]", {shares[0].first, shares[1].first, shares[2].first, "reason"});
  policy_.budget.line = budget.source().begin.line;
  for (const auto& [name, member] : shares) {
    const toml::node* const node = budget.get(name);
    if (node == nullptr) continue;
    const double share = number(*node, ir::cat("[budget] ", name));
    if (share > 1) refuse(*node, "[budget] ", name, ": wanted at most 1, found ", share);
    policy_.budget.*member = share;
  }
  const auto alarms = policy_.budget.false_alarm_per_run;
  if (alarms && *alarms < rarest_alarm)
    refuse(budget, "[budget] false_alarm_per_run: wanted ", rarest_alarm, " to 1, found ", *alarms,
           *alarms == 0 ? ": a bound that is never exceeded is no statistic" : "");
  if (const toml::node* reason = budget.get("reason")) policy_.budget.reason = string(*reason, "[budget] reason");
}

Selector Reader::selector(std::string_view key, const toml::node& node) const {
  const auto where = ir::cat("match.", key);
  Selector made{std::string(key)};
  if (key == "k_reduce") {
    if (node.is_integer() && **node.as_integer() >= 0)
      made.number = VersionTest{Order::equal, {static_cast<std::uint64_t>(**node.as_integer())}};
    else
      made.number = at_line(node, where, [&] { return parse_test(string(node, where)); });
    return made;
  }
  if (node.is_array()) {
    const toml::array& array = *node.as_array();
    if (array.empty() || array.size() > most_patterns)
      refuse(node, where, ": wanted 1 to ", most_patterns, " strings, found ", array.size());
    for (const toml::node& one : array) made.patterns.push_back(string(one, where));
  } else {
    made.patterns.push_back(string(node, where));
  }
  if (key == "driver" && made.patterns.size() == 1) {
    const auto space = made.patterns[0].find_last_of("<>=");
    if (space != std::string::npos) {
      const auto sign = made.patterns[0].find_first_of("<>=");
      const std::string pattern = made.patterns[0];
      made.number = at_line(node, where, [&] { return parse_test(std::string_view(pattern).substr(sign)); });
      const auto end = pattern.find_last_not_of(' ', sign == 0 ? 0 : sign - 1);
      made.patterns[0] = sign == 0 || end == std::string::npos ? "*" : pattern.substr(0, end + 1);
    }
  }
  for (const std::string& pattern : made.patterns) at_line(node, where, [&] { return require_word(key, pattern); });
  return made;
}

Limit Reader::limit(std::string_view key, const toml::node& node, bool at_least) const {
  if (!node.is_string()) return {number(node, key)};
  std::string expression = string(node, key);
  const std::string_view sign = at_least ? ">=" : "<=";
  if (expression.starts_with(sign)) expression.erase(0, sign.size());
  at_line(node, key, [&] {
    const double one =
        evaluate(expression, {.n = 2, .k = 2, .u = 0x1p-24, .u_out = 0x1p-24, .norm1 = 2, .norm2 = 2, .m = 1});
    const double other =
        evaluate(expression, {.n = 99, .k = 99, .u = 0x1p-11, .u_out = 0x1p-11, .norm1 = 50, .norm2 = 9, .m = 3});
    ir::require(!std::isinf(one) || !std::isinf(other), "the limit '", expression, "' is infinite: nothing exceeds it");
    return one;
  });
  return {0, expression};
}

Requirement Reader::allclose(const toml::node& node) const {
  const toml::table& both = table(node, "allclose");
  only(both, "allclose", {"rtol", "atol"});
  const toml::node *rtol = both.get("rtol"), *atol = both.get("atol");
  if (rtol == nullptr || atol == nullptr) refuse(node, "allclose: wanted rtol and atol");
  Requirement made{.measure = Measure::allclose};
  made.relative = number(*rtol, "allclose.rtol");
  made.absolute = number(*atol, "allclose.atol");
  return made;
}

Requirement Reader::any(const toml::node& node, RulePart part, int depth) const {
  if (depth >= deepest_any) refuse(node, "any: wanted at most ", deepest_any, " levels");
  if (!node.is_array() || node.as_array()->empty()) refuse(node, "any: wanted a list of tables");
  Requirement made{.measure = Measure::any};
  for (const toml::node& one : *node.as_array()) made.any.push_back(requirements(table(one, "any"), part, depth + 1));
  return made;
}

Requirement Reader::requirement(std::string_view key, const toml::node& node, RulePart part, int depth) const {
  const auto names = enum_names(Measure{});
  const auto found = ir::enum_value<Measure>(key);
  if (!found)
    refuse(node, "wanted one of ", list_of({names.begin(), names.end()}), ", bound, found '", key, "'",
           core::did_you_mean(key, {names.begin(), names.end()}));
  const Measure measure = *found;
  const bool is_local = measure == Measure::ratio_max || measure == Measure::bitwise || measure == Measure::allclose ||
                        measure == Measure::emulator_ulp || measure == Measure::replay ||
                        measure == Measure::sigma_max || measure == Measure::misrounded;
  if (is_local && part != RulePart::local) refuse(node, key, ": only the local part has it");
  if (measure == Measure::allclose) return allclose(node);
  if (measure == Measure::any) return any(node, part, depth);
  Requirement made{.measure = measure};
  if (measure == Measure::replay)
    choice(node, key, {"equal"});
  else if (measure != Measure::bitwise)
    made.limit = limit(key, node, is_at_least(measure));
  else if (!node.is_boolean() || !**node.as_boolean())
    refuse(node, "bitwise: wanted true");
  return made;
}

/// The requirements of a table: all of its keys except `but`.
std::vector<Requirement> Reader::requirements(const toml::table& table, RulePart part, int depth,
                                              const std::vector<std::string_view>& but) const {
  std::vector<Requirement> made;
  bool has_bound = false, has_ratio = false;
  for (const auto& [key, value] : table) {
    if (std::ranges::count(but, text(key)) > 0) continue;
    if (text(key) == "bound") {
      choice(value, "bound", {"auto"});
      if (part != RulePart::local) refuse(value, "bound: only the local part has it");
      has_bound = true;
      continue;
    }
    has_ratio |= text(key) == "ratio_max";
    made.push_back(requirement(text(key), value, part, depth));
  }
  if (has_bound && !has_ratio) made.push_back({.measure = Measure::ratio_max, .limit = {1}});
  if (made.empty()) refuse(table, "wanted something that is required, found an empty table");
  return made;
}

void Reader::expected_failure(const toml::table& table, Rule& rule) const {
  if (const toml::node* reason = table.get("reason")) rule.reason = string(*reason, "reason");
  if (const toml::node* expires = table.get("expires")) rule.expires = date(*expires, "expires");
  const toml::node *verdict = table.get("verdict"), *ratio = table.get("ratio_max");
  if (verdict == nullptr && ratio != nullptr) refuse(*ratio, "ratio_max: wanted verdict = \"xfail\" beside it");
  if (verdict == nullptr) return;
  if (ratio != nullptr) {
    const auto most = ratio->value<double>();
    if (!most || !(*most >= 1)) refuse(*ratio, "ratio_max: wanted a number that is 1 or more");
    rule.excused_ratio = *most;
  }
  choice(*verdict, "verdict", {"xfail"});
  rule.expects_failure = true;
  if (rule.reason.empty()) refuse(*verdict, "verdict: an xfail must have a reason");
  if (!rule.expires) refuse(*verdict, "verdict: an xfail must have a date on which it expires");
}

std::vector<Selector> Reader::matches(const toml::node& node) const {
  std::vector<Selector> made;
  for (const auto& [key, value] : table(node, "match")) {
    const auto key_text = text(key);
    const bool is_acc = key_text == "acc";
    if (is_acc && acc_ == AccKey::refused)
      refuse(value, "match: acc is called accumulation now: the dtype of the kernel's sums");
    if (!is_acc && key_text != "k_reduce" && std::ranges::find(text_selectors, key_text) == text_selectors.end())
      refuse(value, "match: wanted one of ", list_of({text_selectors.begin(), text_selectors.end()}),
             ", k_reduce, found '", key_text, "'");
    made.push_back(selector(key_text, value));
  }
  return made;
}

std::chrono::sys_days Reader::date(const toml::node& node, std::string_view where) const {
  if (!node.is_date()) refuse(node, where, ": wanted a date such as 2026-12-31");
  const toml::date date = **node.as_date();
  return std::chrono::sys_days(std::chrono::year(date.year) / date.month / date.day);
}

Rule Reader::rule(const toml::table& table, std::size_t index) {
  only(table, ir::cat("rule ", index + 1),
       {"id", "match", "part", "require", "also", "verdict", "ratio_max", "reason", "expires", "source", "fit"});
  Rule made;
  made.line = table.source().begin.line;
  const toml::node *id = table.get("id"), *match = table.get("match"), *part = table.get("part");
  if (id == nullptr) refuse(table, "rule ", index + 1, ": wanted an id");
  made.id = string(*id, "id");
  if (!ids_.insert(made.id).second) refuse(*id, "id: '", made.id, "' is that of an earlier rule");
  if (match == nullptr) refuse(table, "rule ", made.id, ": wanted a match, {} for every node");
  made.match = matches(*match);
  if (part != nullptr && choice(*part, "part", {"local", "total"}) == "total") made.part = RulePart::total;
  for (const char* name : {"require", "also"})
    if (const toml::node* list = table.get(name))
      for (Requirement& one : requirements(this->table(*list, name), made.part, 0)) made.require.push_back(one);
  expected_failure(table, made);
  if (made.require.empty() && !made.expects_failure) refuse(table, "rule ", made.id, ": wanted require or verdict");
  if (made.require.empty() && made.part != RulePart::local)
    refuse(table, "rule ", made.id, ": wanted require, as the total part has no bound");
  if (const toml::node* source = table.get("source")) made.is_fitted = string(*source, "source") == "fitted";
  if (const toml::node* fit = table.get("fit"))
    made.is_fitted_to_software = this->table(*fit, "fit")["software"].value_or(false);
  return made;
}

void Reader::rules(const toml::node& node) {
  if (!node.is_array_of_tables()) refuse(node, "rule: wanted [[rule]]");
  const toml::array& array = *node.as_array();
  if (array.size() > most_rules) refuse(node, "wanted at most ", most_rules, " rules, found ", array.size());
  for (std::size_t r = 0; r < array.size(); ++r) policy_.rules.push_back(rule(*array[r].as_table(), r));
}

void Reader::outputs(const toml::table& outputs) {
  for (const auto& [key, value] : outputs) {
    OutputBudget budget{std::string(text(key)), value.source().begin.line};
    const toml::table& limits = table(value, ir::cat("[output] ", text(key)));
    if (const toml::node* reason = limits.get("reason")) budget.reason = string(*reason, "[output] reason");
    if (const toml::node* source = limits.get("source")) budget.is_fitted = string(*source, "source") == "fitted";
    if (const toml::node* fit = limits.get("fit"))
      budget.is_fitted_to_software = table(*fit, "fit")["software"].value_or(false);
    budget.require = requirements(limits, RulePart::total, 0, {"reason", "source", "fit"});
    policy_.outputs.push_back(std::move(budget));
  }
}

void Reader::all(const toml::table& file) {
  only(file, "policy", {"schema", "budget", "special", "rule", "output", "quarantine", "drift"});
  const toml::node* schema = file.get("schema");
  if (schema == nullptr) refuse(file, "wanted schema = \"plumb-policy/1\" at the top");
  choice(*schema, "schema", {"plumb-policy/1"});
  if (const toml::node* node = file.get("special")) special(table(*node, "[special]"));
  if (const toml::node* node = file.get("budget")) budget(table(*node, "[budget]"));
  if (const toml::node* node = file.get("rule")) rules(*node);
  if (const toml::node* node = file.get("output")) outputs(table(*node, "[output]"));
  if (const toml::node* node = file.get("quarantine")) quarantines(*node);
}

Policy parse(std::string_view text, std::string file, AccKey acc) {
  Policy policy{std::move(file), std::string(text)};
  ir::require(text.size() <= most_bytes, policy.file, ": a policy has at most ", most_bytes, " bytes");
  const toml::table table = core::parse_toml(text, policy.file);
  Reader(policy, acc).all(table);
  drift_rules_in(policy.text, policy.file);  // a [drift] that nobody understands is refused, too
  return policy;
}

Policy read(const std::filesystem::path& path) {
  return parse(ir::files::read_named_text(path, most_bytes), path.string());
}

}  // namespace plumb::parity::policy
