#pragma once

// Checks of an installation, a line each, and the exit code that they come to.

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parity/core/verdict.hpp"

namespace plumb::parity::studies::selfcheck {

/// The part of an installation that a check is about.
enum class Area { environment, driver, caches, reference, device, files, policy, honesty };

constexpr auto enum_names(Area) {
  return std::array<std::string_view, 8>{"environment", "driver", "caches", "reference",
                                         "device",      "files",  "policy", "honesty"};
}

enum class Status { ok, failed, skipped };

constexpr auto enum_names(Status) { return std::array<std::string_view, 3>{"ok", "failed", "skipped"}; }

/// The outcome of a check.
struct Found {
  Status status = Status::ok;
  std::string text = {};        ///< the state of things, in a sentence
  std::string remedy = {};      ///< a way to mend it; "" where there is nothing to mend
  bool lacks_a_device = false;  ///< it failed since there is no device
};

inline Found ok(std::string text) { return {.text = std::move(text)}; }
inline Found failed(std::string text, std::string remedy) {
  return {.status = Status::failed, .text = std::move(text), .remedy = std::move(remedy)};
}
inline Found skipped(std::string text, std::string remedy = {}) {
  return {.status = Status::skipped, .text = std::move(text), .remedy = std::move(remedy)};
}

struct Check {
  Area area = Area::environment;
  std::string name = {};
  Found found = {};
  double seconds = 0;
};

/// Makes checks, one after the other.
class Checklist {
 public:
  /// `tell` is told of each check when it has ended.
  explicit Checklist(std::function<void(const Check&)> tell) : tell_(std::move(tell)) {}

  /// Makes a check. One that throws Unsupported is skipped, and one that throws anything else has failed, for that
  /// reason; `remedy` is what to do then. Returns whether it is ok.
  bool run(Area area, std::string name, const std::function<Found()>& check, const std::string& remedy = {});

  std::span<const Check> checks() const { return checks_; }

  /// failed where a check failed; else nothing_ran where the only thing that is wrong is that there is no device.
  core::ExitCode exit_code() const;

 private:
  std::function<void(const Check&)> tell_;
  std::vector<Check> checks_;
};

/// "failed   cache        FOLDER cannot be written" and, where there is one, a line with the remedy.
std::string to_text(const Check& check);

/// How many are ok, failed and skipped, in a line.
std::string summary(std::span<const Check> checks);

/// plumb.selfcheck/1: all checks, and the exit code.
std::string to_json(const Checklist& checklist);

}  // namespace plumb::parity::studies::selfcheck
