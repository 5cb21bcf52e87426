// Quarantines: how they are read, and what they excuse.
#include <algorithm>
#include <cmath>

#include "ir/attribute.hpp"
#include "parity/policy/policy_reader.hpp"

namespace plumb::parity::policy {

void Reader::quarantines(const toml::node& node) {
  constexpr std::size_t most = 256;
  if (!node.is_array_of_tables()) refuse(node, "quarantine: wanted [[quarantine]]");
  const toml::array& array = *node.as_array();
  if (array.size() > most) refuse(node, "wanted at most ", most, " quarantines, found ", array.size());
  for (std::size_t i = 0; i < array.size(); ++i) policy_.quarantines.push_back(quarantine(*array[i].as_table(), i));
}

Quarantine Reader::quarantine(const toml::table& table, std::size_t index) {
  constexpr std::chrono::days longest{90};
  only(table, ir::cat("quarantine ", index + 1),
       {"id", "match", "kind", "owner", "issue", "since", "expires", "ratio_max", "max_rate"});
  const auto wanted = [&](const char* key) -> const toml::node& {
    const toml::node* const found = table.get(key);
    if (found == nullptr) refuse(table, "quarantine ", index + 1, ": wanted a key '", key, "'");
    return *found;
  };
  Quarantine made{.id = string(wanted("id"), "id"), .line = table.source().begin.line};
  if (!ids_.insert(made.id).second) refuse(wanted("id"), "id: '", made.id, "' is that of an earlier rule");
  made.match = matches(wanted("match"));
  made.owner = string(wanted("owner"), "owner");
  made.issue = string(wanted("issue"), "issue");
  made.since = date(wanted("since"), "since");
  made.expires = date(wanted("expires"), "expires");
  if (made.expires < made.since) refuse(wanted("expires"), "expires: it lies before since, ", to_text(made.since));
  if (made.expires - made.since > longest)
    refuse(wanted("expires"), "expires: wanted at most ", longest.count(), " days after since, by ",
           to_text(made.since + longest));
  const auto names = enum_names(Incident{});
  const auto add_kind = [&](const toml::node& one) {
    made.kinds.push_back(ir::enum_value<Incident>(choice(one, "kind", {names.begin(), names.end()})).value());
  };
  const toml::node& kinds = wanted("kind");
  if (const toml::array* const several = kinds.as_array())
    for (const toml::node& one : *several) add_kind(one);
  else
    add_kind(kinds);
  if (made.kinds.empty()) refuse(kinds, "kind: wanted one at least");
  if (const toml::node* const ratio = table.get("ratio_max")) {
    const auto most = ratio->value<double>();
    if (!most || !(*most >= 1)) refuse(*ratio, "ratio_max: wanted a number that is 1 or more");
    made.ratio_max = *most;
  }
  if (const toml::node* const rate = table.get("max_rate")) {
    made.max_rate = number(*rate, "max_rate");
    if (!(made.max_rate > 0 && made.max_rate <= 1)) refuse(*rate, "max_rate: wanted a share above 0, at most 1");
  }
  return made;
}

std::optional<Incident> incident_of(core::Verdict verdict) {
  if (verdict == core::Verdict::nondeterministic) return Incident::nondeterministic;
  if (verdict == core::Verdict::failed) return Incident::failed;
  return std::nullopt;
}

bool is_over(const Quarantine& one, std::chrono::sys_days today) { return one.expires < today; }

const Quarantine* quarantine_of(const Policy& policy, const Facts& facts, Incident incident, double ratio,
                                std::chrono::sys_days today) {
  const bool is_of_device = incident == Incident::device_fault;
  const auto matches = [&](const Selector& selector) {
    const bool is_left_aside = is_of_device && selector.key != "device" && selector.key != "driver";
    return is_left_aside || why_not(selector, facts).empty();
  };
  const auto found = std::ranges::find_if(policy.quarantines, [&](const Quarantine& one) {
    // No quarantine excuses a NaN or an infinity, of which there is no ratio.
    const bool is_excused =
        is_of_device || ratio <= one.ratio_max || (std::isnan(ratio) && incident == Incident::nondeterministic);
    return one.since <= today && !is_over(one, today) && one.worn_out.empty() &&
           std::ranges::count(one.kinds, incident) > 0 && is_excused && std::ranges::all_of(one.match, matches);
  });
  return found == policy.quarantines.end() ? nullptr : &*found;
}

std::string excuse_of(const Policy& policy, const Quarantine& one) {
  return ir::cat("in quarantine until ", to_text(one.expires), ": ", one.id, " (", policy.file, ':', one.line, "), ",
                 one.issue, ", ", one.owner);
}

}  // namespace plumb::parity::policy
