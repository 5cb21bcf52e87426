#pragma once

// The reader of policies, in parts: policy_file.cpp reads rules and budgets, policy_quarantine.cpp quarantines.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/error.hpp"
#include "parity/core/toml_text.hpp"
#include "parity/policy/policy_file.hpp"

namespace plumb::parity::policy {

/// Reads the tables of one file; every refusal says where.
class Reader {
 public:
  Reader(Policy& policy, AccKey acc) : policy_(policy), acc_(acc) {}

  void all(const toml::table& file);

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const toml::node& at, const Parts&... parts) const {
    ir::fail(policy_.file, ':', at.source().begin.line, ": ", ir::cat(parts...));
  }

  static std::string_view text(const toml::key& key) { return key.str(); }
  void only(const toml::table& table, std::string_view where, const std::vector<std::string_view>& known) const;
  const toml::table& table(const toml::node& node, std::string_view where) const;
  std::string string(const toml::node& node, std::string_view where) const;
  double number(const toml::node& node, std::string_view where) const;
  std::string choice(const toml::node& node, std::string_view where,
                     const std::vector<std::string_view>& choices) const;
  /// Calls `read`, which parses a small language, and adds the line to its errors.
  template <class Read>
  auto at_line(const toml::node& node, std::string_view where, Read read) const {
    try {
      return read();
    } catch (const ir::Error& error) {
      refuse(node, where, ": ", error.what());
    }
  }

  void special(const toml::table& table);
  void budget(const toml::table& table);
  void rules(const toml::node& node);
  Rule rule(const toml::table& table, std::size_t index);
  void expected_failure(const toml::table& table, Rule& rule) const;
  Selector selector(std::string_view key, const toml::node& node) const;
  std::vector<Requirement> requirements(const toml::table& table, RulePart part, int depth,
                                        const std::vector<std::string_view>& but = {}) const;
  Requirement requirement(std::string_view key, const toml::node& node, RulePart part, int depth) const;
  Requirement allclose(const toml::node& node) const;
  Requirement any(const toml::node& node, RulePart part, int depth) const;
  Limit limit(std::string_view key, const toml::node& node, bool at_least) const;
  void outputs(const toml::table& table);
  std::vector<Selector> matches(const toml::node& node) const;
  std::chrono::sys_days date(const toml::node& node, std::string_view where) const;
  void quarantines(const toml::node& node);
  Quarantine quarantine(const toml::table& table, std::size_t index);

  Policy& policy_;
  const AccKey acc_;
  std::set<std::string> ids_;
};

}  // namespace plumb::parity::policy
