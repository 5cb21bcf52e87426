// Reads [drift] of a policy.
#include "parity/policy/drift_rules.hpp"

#include <fmt/format.h>

#include "ir/attribute.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/toml_text.hpp"
#include "parity/policy/policy_file.hpp"

namespace plumb::parity::policy {
namespace {

using Words = std::vector<std::string>;

template <class E>
Words words_of(E) {
  const auto names = enum_names(E{});
  return {names.begin(), names.end()};
}

[[noreturn]] void refuse_word(const std::string& where, const Words& wanted, const std::string& found) {
  ir::fail(where, "wanted one of ", fmt::format("{}", fmt::join(wanted, ", ")), ", found '", found, "'",
           core::did_you_mean(found, wanted));
}

class DriftReader {
 public:
  explicit DriftReader(std::string file) : file_(std::move(file)) {}

  DriftRules read(const toml::table& table) {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (name == "false_alarm")
        rules_.false_alarm = number(value, name, 1e-6, 0.5);
      else if (name == "min_effect")
        effects(value);
      else if (name == "accept")
        accept(value);
      else if (name == "bits")
        rules_.bits = bits(value);
      else
        refuse_word(at(value) + "[drift]: ", {"false_alarm", "min_effect", "accept", "bits"}, name);
    }
    return rules_;
  }

 private:
  std::string at(const toml::node& node) const { return fmt::format("{}:{}: ", file_, node.source().begin.line); }

  double number(const toml::node& node, const std::string& name, double least, double most) const {
    const auto found = node.is_number() ? node.value<double>() : std::nullopt;
    if (!found || !(*found >= least && *found <= most))
      ir::fail(at(node), "[drift] ", name, ": wanted a number from ", least, " to ", most, ", found ",
               found ? fmt::format("{}", *found) : std::string(core::kind_of(node)));
    return *found;
  }

  void effects(const toml::node& node) {
    constexpr double most = 64;
    if (!node.is_table()) ir::fail(at(node), "[drift] min_effect: wanted a table, found ", core::kind_of(node));
    for (const auto& [key, value] : *node.as_table()) {
      const std::string name(key.str());
      double* const member = name == "log2"    ? &rules_.least_log2
                             : name == "bias"  ? &rules_.least_bias
                             : name == "share" ? &rules_.least_share
                                               : nullptr;
      if (member == nullptr) refuse_word(at(value) + "[drift] min_effect: ", {"log2", "bias", "share"}, name);
      *member = number(value, "min_effect." + name, 0, most);
    }
  }

  void accept(const toml::node& node) {
    if (!node.is_array()) ir::fail(at(node), "[drift] accept: wanted a list of causes, found ", core::kind_of(node));
    for (const toml::node& one : *node.as_array()) {
      const auto name = one.value<std::string>();
      if (!name) ir::fail(at(one), "[drift] accept: wanted a string, found ", core::kind_of(one));
      const auto cause = ir::enum_value<DriftCause>(*name);
      if (!cause) refuse_word(at(one) + "[drift] accept: ", words_of(DriftCause{}), *name);
      rules_.accept.insert(*cause);
    }
  }

  DriftBits bits(const toml::node& node) const {
    const std::string name = node.value_or(std::string());
    const auto found = ir::enum_value<DriftBits>(name);
    if (!found) refuse_word(at(node) + "[drift] bits: ", words_of(DriftBits{}), name);
    return *found;
  }

  const std::string file_;
  DriftRules rules_;
};

}  // namespace

DriftRules drift_rules_in(const std::string& text, const std::string& file) {
  const toml::table all = core::parse_toml(text, file);
  const toml::node* const node = all.get("drift");
  if (node == nullptr) return {};
  if (!node->is_table())
    ir::fail(file, ':', node->source().begin.line, ": [drift]: wanted a table, found ", core::kind_of(*node));
  return DriftReader(file).read(*node->as_table());
}

DriftRules read_drift_rules(const std::filesystem::path& path) {
  const Policy policy = policy::read(path);
  return drift_rules_in(policy.text, policy.file);
}

DriftCause drift_cause(const std::string& name) {
  const auto cause = ir::enum_value<DriftCause>(name);
  if (!cause) refuse_word("--accept: ", words_of(DriftCause{}), name);
  return *cause;
}

}  // namespace plumb::parity::policy
