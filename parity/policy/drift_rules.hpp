#pragma once

// The table [drift] of a policy (docs/drift.md).

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace plumb::parity::policy {

/// Why the bits of an output are others than they were; of several reasons the first.
enum class DriftCause { kernel, tile, sums, device, driver, inherited, options, tool, unexplained };

constexpr auto enum_names(DriftCause) {
  return std::array<std::string_view, 9>{"kernel",    "tile",    "sums", "device",     "driver",
                                         "inherited", "options", "tool", "unexplained"};
}

/// Whether other bits fail though they are no worse.
enum class DriftBits { report, forbid };

constexpr auto enum_names(DriftBits) { return std::array<std::string_view, 2>{"report", "forbid"}; }

struct DriftRules {
  double false_alarm = 0.01;  ///< probability that a comparison without a change finds anything
  double least_log2 = 0.1;    ///< an error that grows by no more does not fail; in powers of two
  double least_bias = 0.05;   ///< likewise, for bias and rho
  double least_share = 0.02;  ///< likewise, for shares
  std::set<DriftCause> accept = {};
  DriftBits bits = DriftBits::report;
};

/// Those in the text of a policy, whose other tables are passed over. Throws Error
/// "FILE:LINE: where: what is wanted, what was found".
DriftRules drift_rules_in(const std::string& text, const std::string& file);

/// The rules of the policy in this file, which is read as a whole; the usual ones where it has no [drift]. Throws Error
/// likewise.
DriftRules read_drift_rules(const std::filesystem::path& path);

/// The cause of that name; throws Error with the names that there are.
DriftCause drift_cause(const std::string& name);

}  // namespace plumb::parity::policy
