#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parity/core/demands.hpp"
#include "parity/policy/policy.hpp"
#include "parity/studies/fit/gumbel.hpp"

/// Limits fitted to what clean runs came to (docs/fit.md): of each node the largest error of a run in standard
/// deviations, or over its bound, is a block maximum, and of many runs these are distributed as Gumbel has it.
namespace plumb::parity::studies::fit {

/// The common traits of nodes that share a rule.
struct Group {
  std::string op, in, dtype, accumulation, device;

  auto operator<=>(const Group&) const = default;
};

/// The errors of a result of a graph in total.
struct Total {
  double rel_l2 = compare::not_computed, max_abs = compare::not_computed;
};

/// One output of one node in one run: all that a fit needs to know of a results file.
struct Sample {
  Group group = {};
  std::string node = {};
  std::uint64_t run = 0, seed = 0;  ///< runs are numbered over all files
  double ratio = 0;
  bool is_clean = true;                                                  ///< the node passed
  bool is_software = false;                                              ///< the device is no hardware
  double sigma = compare::not_computed, lambda = compare::not_computed;  ///< sigma_max, and what the bound allowed for
  double misrounded = compare::not_computed;
  std::string graph = {};                      ///< its hash
  std::uint64_t param_seed = 0;                ///< likewise, where params have one of their own
  std::optional<std::uint64_t> out_hash = {};  ///< the hash of the bits of the output, where it is known
  std::optional<Total> total = {};             ///< nothing but for results of the graph
};

/// The local parts of all compared outputs, `first_run` being the number of the file's first run.
/// Mistrusted ones, fallbacks and expected failures are left out. Throws Error when it is no results file, and where a
/// run has a fault that is there on purpose, unless these are allowed.
struct Samples {
  std::vector<Sample> samples = {};
  std::uint64_t runs = 0;
  std::string commit = {};                       ///< the commit of the tool that recorded them
  std::optional<core::RunFinding> cut_off = {};  ///< that there were to be more
};
Samples read_samples(const std::filesystem::path& path, std::uint64_t first_run, bool allow_planted = false);

struct Options {
  double false_alarm_per_run = 1e-3;  ///< probability that a clean run fails by any of the fitted limits
  double confidence = 0.95;           ///< that the limit is high enough for it
};

inline constexpr std::size_t fewest_seeds = 20;

/// A limit on a measure of the nodes of a group: all of them, or one.
struct FittedRule {
  Group group = {};
  policy::Measure measure = policy::Measure::ratio_max;
  std::string node = {};  ///< empty: every node of the group was pooled
  Gumbel gumbel = {};
  double limit = 0;
  double false_alarm = 0;  ///< the chance of a false alarm in one comparison
  std::size_t n_seeds = 0, n_samples = 0, n_nodes = 1;
  bool is_software = false;

  /// "fit-matmul-f32-f32-0a1b2c3d", with the node's label behind it where it is for one node; digits of a
  /// hash stand for accumulator and device.
  std::string id() const;
};

/// Limits on the total of results of this name.
struct FittedOutput {
  std::string output = {};
  std::vector<policy::Requirement> limits = {};  ///< rel_l2 and max_abs, those that vary
  double false_alarm = 0;                        ///< the chance of a false alarm by each of them in one comparison
  std::size_t n_seeds = 0, n_samples = 0;
  bool is_software = false;
};

struct Fit {
  std::vector<FittedRule> rules;  ///< rules for one node before those of groups
  std::vector<FittedOutput> outputs;
  std::vector<std::string> findings;  ///< reasons why the fit is not a clean one
  std::vector<std::string> notes;
  std::size_t at_bound = 0;     ///< rules that were left out, since the bound is tight enough
  std::size_t comparisons = 0;  ///< that can raise an alarm in one run, at most
  std::size_t repeats = 0;      ///< runs that are equal to earlier ones, and were left out
};

/// Fits what varies: of 16-bit results the share that is misrounded, else sigma_max, which does not depend on the λ
/// that a run's limits allowed for (verdict.md V53); the ratio where that was not recorded, or where no chance is in
/// limits. Nodes of a group share a rule when an Anderson-Darling test accepts that their ratios are of one
/// distribution; else each has its own. The budget is divided by the largest number of comparisons of a run that get a
/// limit. What was run twice counts once (repeats.hpp). A limit that comes out above the bound is none, with a note:
/// there is nothing to tighten. Results of the graph get limits on their totals: where graphs or devices share a name,
/// the largest of theirs. Findings: a node that did not pass in a run. Where real devices are among the samples, those
/// of software devices are left out, with a note.
Fit fit(std::span<const Sample> samples, const Options& options);

}  // namespace plumb::parity::studies::fit
