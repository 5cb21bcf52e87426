#pragma once

#include "parity/power/faults/fault.hpp"
#include "parity/verify/verify.hpp"

/// Mutation testing of the verdict (docs/power.md): what of a library of faults would it catch?
namespace plumb::parity::power {

struct Options {
  std::string faults = "*";            ///< a glob over their names
  std::string filter = {};             ///< regular expression over labels of nodes; empty for all
  const policy::Gate* gate = nullptr;  ///< decides in place of the bound; null: the bound does
  double max_vacuity = 0.30;           ///< beyond it a node is mistrusted
  bool smallest = true;                ///< whether the smallest share that is caught is looked for
  std::shared_ptr<const judges::ExtraJudges> extra_judges = {};  ///< as verify::VerifyOptions has them
};

/// no_effect: on this data the fault gives the candidate's output, or the truth rounded once, which no verdict may
/// refuse, or an error that honest evaluations make as well.
enum class Outcome { caught, missed, no_effect };

constexpr auto enum_names(Outcome) { return std::array<std::string_view, 3>{"caught", "missed", "no effect"}; }

/// The check that refuses a fault (verdict.md V76). The replay refutes the record of a kernel: a finding, which fails a
/// run under --strict or a policy that requires it.
enum class CaughtBy { nothing, limit, statistics, replay, plain_run, refusal };

constexpr auto enum_names(CaughtBy) {
  return std::array<std::string_view, 6>{"nothing", "limit", "statistics", "replay", "plain run", "refusal"};
}

/// Why a fault is missed: it stays within the limits, or it changes only elements that are not judged.
enum class Reason { none, within_limit, apart };

constexpr auto enum_names(Reason) { return std::array<std::string_view, 3>{"", "within the limit", "apart"}; }

/// A fault and how far it is from the truth.
struct Size {
  double share = 1;  ///< how much of the fault is planted; above 1 the fault is magnified
  double ulp = compare::not_computed,
         ratio = compare::not_computed;  ///< the worst element: in ulps, and over the bound
};

/// One fault at one output.
struct Trial {
  /// The effect from which on a fault has to be seen (verdict.md V74).
  static constexpr double required_effect = 4;

  const faults::Fault* fault = nullptr;
  faults::Place place = faults::Place::whole;
  std::string inside = {};  ///< the node that it is in, among those that were fused
  Outcome outcome = Outcome::no_effect;
  CaughtBy caught_by = CaughtBy::nothing;
  Reason reason = Reason::none;
  double effect = 0;                  ///< d: its change over the errors of honest evaluations
  Size size = {};                     ///< as the fault is
  std::optional<Size> smallest = {};  ///< that would be caught; nothing where it cannot be had in part

  bool is_required() const { return effect >= required_effect; }
};

/// One output of one node.
struct NodePower {
  std::string name, op;
  ir::TensorType type;
  core::Verdict verdict = core::Verdict::skipped;  ///< without a fault; where it is failed nothing is planted
  std::string why = {};                            ///< the reason of a verdict that is not passed
  compare::Vacuity vacuity = {};
  bool has_verdict = true;         ///< that a fault could overturn
  std::vector<Trial> trials = {};  ///< one for each fault that applies, in each place

  /// s where the fault `scaled` by 1 + 2^-s is seen, as large as it gets; nothing where none was planted and seen.
  std::optional<int> resolution() const;
};

struct Result {
  cases::Case subject;  ///< without its feeds
  std::string candidate;
  std::vector<NodePower> nodes;
  double seconds = 0;

  /// Trials of required faults that ended so.
  std::size_t count(Outcome outcome) const;
  /// Trials of other faults that ended so.
  std::size_t count_below(Outcome outcome) const;
  std::size_t without_verdict() const;
  /// caught / (caught + missed) of required faults; NaN where there were none.
  double score() const;
};

/// Stand-ins for the feeds of an earlier run: the case's inputs of another seed, its params. Empty where the file's
/// tensors cannot be made again.
ir::Feeds earlier_feeds(const cases::Case& subject);

/// Runs the candidate twice, on other inputs and on the case's, and judges the second run as verify() does. Beside
/// every output that it judges, each fault that applies is planted in what the candidate gave and held against
/// the same truth by the same limits: nothing runs again but the faulty node's own truth. Throws as verify() does.
Result measure(const cases::Case& subject, const cases::Executors& executors, const Options& options,
               cases::Observer& progress);

/// The table for people, and what was missed.
std::string to_table(const Result& result);
/// A line a fault: how often it was caught, and its smallest sizes.
std::string fault_table(const Result& result);
std::string to_json(std::span<const Result> results, double min_power);

}  // namespace plumb::parity::power
