// Runs checks whatever they throw, and says what they came to.
#include "parity/studies/selfcheck/checklist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "ir/attribute.hpp"
#include "ir/error.hpp"

namespace plumb::parity::studies::selfcheck {
namespace {

Found found_by(const std::function<Found()>& check, const std::string& remedy) {
  try {
    return check();
  } catch (const ir::Unsupported& error) {
    return skipped(error.what());
  } catch (const std::exception& error) {
    return failed(error.what(), remedy);
  }
}

std::size_t count(std::span<const Check> checks, Status status) {
  return static_cast<std::size_t>(
      std::ranges::count_if(checks, [&](const Check& one) { return one.found.status == status; }));
}

}  // namespace

bool Checklist::run(Area area, std::string name, const std::function<Found()>& check, const std::string& remedy) {
  const auto start = std::chrono::steady_clock::now();
  Check made{.area = area, .name = std::move(name), .found = found_by(check, remedy)};
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  checks_.push_back(std::move(made));
  tell_(checks_.back());
  return checks_.back().found.status == Status::ok;
}

core::ExitCode Checklist::exit_code() const {
  bool lacks_a_device = false;
  for (const Check& one : checks_) {
    if (one.found.status != Status::failed) continue;
    if (!one.found.lacks_a_device) return core::ExitCode::failed;
    lacks_a_device = true;
  }
  return lacks_a_device ? core::ExitCode::nothing_ran : core::ExitCode::passed;
}

std::string to_text(const Check& check) {
  std::string text = fmt::format("{:<8} {:<13} {}\n", ir::enum_name(check.found.status), check.name, check.found.text);
  if (!check.found.remedy.empty()) text += fmt::format("{:<8} {:<13} remedy: {}\n", "", "", check.found.remedy);
  return text;
}

std::string summary(std::span<const Check> checks) {
  double seconds = 0;
  for (const Check& one : checks) seconds += one.seconds;
  return fmt::format("{} checks: {} ok, {} failed, {} skipped, {:.1f} s\n", checks.size(), count(checks, Status::ok),
                     count(checks, Status::failed), count(checks, Status::skipped), seconds);
}

std::string to_json(const Checklist& checklist) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const Check& one : checklist.checks())
    lines.push_back({{"area", ir::enum_name(one.area)},
                     {"name", one.name},
                     {"status", ir::enum_name(one.found.status)},
                     {"text", one.found.text},
                     {"remedy", one.found.remedy},
                     {"seconds", one.seconds}});
  const nlohmann::ordered_json report = {
      {"schema", "plumb.selfcheck/1"}, {"exit", static_cast<int>(checklist.exit_code())}, {"checks", lines}};
  return report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace plumb::parity::studies::selfcheck
