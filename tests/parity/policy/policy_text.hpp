#pragma once

#include <chrono>
#include <string>

#include "parity/policy/policy_file.hpp"

/// Policies as text, for tests.
namespace plumb::parity::policy {

/// Before which nothing here expires, and after which some does.
inline constexpr std::chrono::sys_days day = std::chrono::year{2026} / 6 / 1;

inline Policy of(const std::string& body, const std::string& file = "p.toml") {
  return parse("schema = \"plumb-policy/1\"\n" + body, file);
}

inline std::string rule(const std::string& id, const std::string& match, const std::string& rest) {
  return "[[rule]]\nid = \"" + id + "\"\nmatch = {" + match + "}\n" + rest + "\n";
}

}  // namespace plumb::parity::policy
