#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parity/compare/compare.hpp"
#include "parity/compare/false_alarms.hpp"
#include "parity/core/verdict.hpp"
#include "parity/policy/policy_value.hpp"

/// A tolerance policy (docs/policy.md) as plain data, and what it says of a node: functions
/// of the facts of the node and of what was measured, so that verify and judge say the same.
namespace plumb::parity::policy {

/// The properties that rules select by. An unknown text is empty, which only "*" matches.
struct Facts {
  std::string node = {}, op = {}, in = {}, dtype = {};  ///< `in` is the dtype of the first operand
  std::string accumulation = {};                        ///< dtype of the sums of its kernel
  std::string computed_in = {};                         ///< dtype that the op computes in: acc in old results files
  std::string kernel = {}, tile = {};                   ///< as ir::NodeReport has them
  std::string exact = "unknown", fill = "graph";
  std::string device = {}, driver = {}, device_profile = {};
  Version driver_version = {};
  std::uint64_t n = 0, k_reduce = 0;  ///< elements of the output; terms summed for one of them
  double u = 0, u_out = 0;            ///< unit roundoff of accumulation and of dtype
};

/// One key of a rule's `match`: any of its patterns is enough.
struct Selector {
  std::string key;
  std::vector<std::string> patterns = {};  ///< globs of text: * and ?
  std::optional<VersionTest> number = {};  ///< the number in k_reduce, or after the name in driver
};

enum class Measure {
  bitwise,
  ratio_max,
  max_abs,
  max_rel,
  max_ulp,
  rel_l2,
  nmse,
  cosine,
  snr_db,
  mean_signed_sigma,
  emulator_ulp,
  replay,
  allclose,
  any,
  sigma_max,
  misrounded,
};

constexpr auto enum_names(Measure) {
  return std::array<std::string_view, 16>{
      "bitwise", "ratio_max",         "max_abs",      "max_rel", "max_ulp",  "rel_l2", "nmse",      "cosine",
      "snr_db",  "mean_signed_sigma", "emulator_ulp", "replay",  "allclose", "any",    "sigma_max", "misrounded"};
}

/// One thing a node must hold: a measure at most its limit; cosine and snr_db at least.
struct Requirement {
  Measure measure = Measure::ratio_max;
  Limit limit = {};
  double relative = 0, absolute = 0;               ///< allclose's
  std::vector<std::vector<Requirement>> any = {};  ///< one of these lists must hold
};

/// Which error of a node a rule is about (docs/results.md).
enum class RulePart { local, total };

constexpr auto enum_names(RulePart) { return std::array<std::string_view, 2>{"local", "total"}; }

struct Rule {
  std::string id;
  std::uint32_t line = 0;  ///< in the policy file
  std::vector<Selector> match = {};
  RulePart part = RulePart::local;
  std::vector<Requirement> require = {};  ///< all of them; none: the bound
  bool expects_failure = false;           ///< verdict = "xfail"
  double excused_ratio = 100;             ///< the largest ratio that an xfail excuses
  std::string reason = {};
  std::optional<std::chrono::sys_days> expires = {};
  bool is_fitted = false, is_fitted_to_software = false;  ///< by plumb fit (docs/fit.md), to what kind of device
};

/// How an output may go wrong that a quarantine excuses.
enum class Incident { nondeterministic, device_fault, failed };

constexpr auto enum_names(Incident) {
  return std::array<std::string_view, 3>{"nondeterministic", "device_fault", "failed"};
}

/// A device that is known to be unreliable: what goes wrong there in one of these ways is counted and does not fail.
struct Quarantine {
  std::string id;
  std::uint32_t line = 0;  ///< in the policy file
  std::vector<Selector> match = {};
  std::vector<Incident> kinds = {};
  std::string owner = {}, issue = {};
  std::chrono::sys_days since = {}, expires = {};
  double ratio_max = 100;     ///< the largest ratio that it excuses
  double max_rate = 1;        ///< the largest share of runs that it excuses, of the last ones of a history
  std::string worn_out = {};  ///< the reason why it excuses nothing any more: a history of more incidents; "" of none
};

/// The limits on the total error of one result of a graph.
struct OutputBudget {
  std::string output;  ///< a glob over "label", "label:1"
  std::uint32_t line = 0;
  std::vector<Requirement> require = {};
  std::string reason = {};                                ///< why it became looser, for the ratchet
  bool is_fitted = false, is_fitted_to_software = false;  ///< by plumb fit (docs/fit.md), to what kind of device
};

/// The limits of the gate as a whole.
struct Budget {
  std::uint32_t line = 0;
  std::optional<double> false_alarm_per_run = {};  ///< probability that a clean run fails, over all its comparisons
  std::optional<double> min_power = {};            ///< share of the required faults that must be caught
  std::optional<double> max_vacuity = {};          ///< above it an output is mistrusted
  std::string reason = {};
};

/// The rule for NaNs: each has to meet a NaN, there must be none, or they are ignored.
enum class NanRule { match, forbid, ignore };

constexpr auto enum_names(NanRule) { return std::array<std::string_view, 3>{"match", "forbid", "ignore"}; }

/// Whether a device may give 0 for a subnormal: where its profile or its driver says that it does, always, never.
enum class SubnormalRule { profile, flush, keep };

constexpr auto enum_names(SubnormalRule) { return std::array<std::string_view, 3>{"profile", "flush", "keep"}; }

/// Whether the recorded bound is the one that this policy asks for.
enum class BoundWas { as_wanted, looser, tighter, unknown };

struct Policy {
  std::string file;  ///< as given, for messages
  std::string text;  ///< the file itself, for records
  NanRule nan = NanRule::match;
  SubnormalRule subnormal = SubnormalRule::profile;
  std::string special_reason = {};
  std::uint32_t special_line = 0;
  Budget budget = {};
  std::vector<Rule> rules = {};
  std::vector<OutputBudget> outputs = {};
  std::vector<Quarantine> quarantines = {};

  /// The probability that a clean run fails (verdict.md V51).
  double false_alarms() const { return budget.false_alarm_per_run.value_or(compare::usual_false_alarms); }
};

/// One comparison, from the tensors or from a results file.
struct Measured {
  std::uint64_t n = 0, n_bad = 0, n_nan = 0;      ///< elements; outside the bound; NaN on either side
  std::optional<std::uint64_t> n_nan_differ = 0;  ///< bad since one side is NaN; nothing where that is not known
  BoundWas bound = BoundWas::as_wanted;           ///< that n_bad and the ratios are of
  bool infinities_differ = false;                 ///< an infinity without its counterpart
  bool specials_differ = false;                   ///< a NaN or an infinity without its counterpart
  double ratio_max = compare::not_computed;       ///< over the bound; only the local part has one
  double ratio_finite = compare::not_computed;    ///< and of the elements that are finite on both sides
  double ratio_certain = compare::not_computed, sigma_max = compare::not_computed;  ///< compare::Comparison
  double misrounded = compare::not_computed;     ///< the share of sampled 16-bit results that are not the truth rounded
  double lambda = compare::not_computed;         ///< standard deviations that the bound allowed for; NaN: not recorded
  double wanted_lambda = compare::not_computed;  ///< that the policy asks for, where these are others
  double max_abs = compare::not_computed, max_rel = compare::not_computed, max_ulp = compare::not_computed;
  double mean_signed = compare::not_computed, rms = compare::not_computed, nmse = compare::not_computed,
         cosine = compare::not_computed;
  double expected_absmax = compare::not_computed, expected_norm1 = compare::not_computed,
         expected_norm2 = compare::not_computed;
  double emulator_ulp = compare::not_computed;  ///< the local part's, where the emulator replayed it
  std::optional<bool> adds_as_published = {};   ///< no sampled sum was refuted by its replay; nothing: not recorded
  double vacuity =
      compare::not_computed;  ///< 0 for a case that could not pass by chance, 1 for one that proves nothing
  std::function<bool(const Requirement&)> holds = {};  ///< asks every element; empty where the tensors are gone
};

struct Parts {
  Measured local, total;
};

/// A verdict, and what it rests on.
struct Judgement {
  /// passed, failed, xfailed, xpassed, mistrusted; error where the numbers do not tell
  core::Verdict verdict = core::Verdict::passed;
  std::optional<std::size_t> rule = {};
  std::string why = {};
  std::string total_beyond = {};  ///< "[output]" or "its rule", where only the error in total is beyond that
};

/// Whether a measure's limit is the least it may be, not the most.
constexpr bool is_at_least(Measure measure) { return measure == Measure::cosine || measure == Measure::snr_db; }

/// Whether the total error of that output is held to something.
bool has_budget(const Policy& policy, std::string_view output);

/// The quarantine that excuses an incident of that ratio at a node, today; nullptr where none does. A fault of a device
/// is of no node: `facts` then names the device alone, and matches of other keys are left aside.
const Quarantine* quarantine_of(const Policy& policy, const Facts& facts, Incident incident, double ratio,
                                std::chrono::sys_days today);

/// The incident behind a verdict; nothing where no quarantine excuses it.
std::optional<Incident> incident_of(core::Verdict verdict);

/// Whether it excuses nothing any more.
bool is_over(const Quarantine& one, std::chrono::sys_days today);

/// "in quarantine until 2026-12-31: merge-flicker (policy.toml:9), ISSUE, OWNER"
std::string excuse_of(const Policy& policy, const Quarantine& one);

/// Why one selector leaves a node out, or "".
std::string why_not(const Selector& selector, const Facts& facts);

/// Why a rule says nothing of a node, or "" when it is about it.
std::string why_not(const Rule& rule, const Facts& facts, std::chrono::sys_days today);

/// The judgement by the first matching rule, then by the output budgets; without a rule the bound is the limit.
Judgement judge(const Policy& policy, const Facts& facts, const Parts& measured, std::chrono::sys_days today);

/// Every rule up to the first that matches, and why it does or does not; then the judgement.
std::string explain(const Policy& policy, const Facts& facts, const Parts& measured, std::chrono::sys_days today);

/// "gelu-f32 (policy.toml:31)".
std::string where(const Policy& policy, const Rule& rule);

/// "2026-12-31"
std::string to_text(std::chrono::sys_days day);

std::chrono::sys_days today();

}  // namespace plumb::parity::policy
