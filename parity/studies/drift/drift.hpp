#pragma once

// Changes between two sets of runs: whether they are worse, and why (docs/drift.md).

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parity/policy/drift_rules.hpp"
#include "parity/studies/drift/max_t.hpp"
#include "parity/studies/drift/records.hpp"

namespace plumb::parity::studies::drift {

using policy::DriftCause;

/// A statistic of the errors of an output in one run. None has a limit in it, since limits follow kernels.
enum class Measure {
  rms,         ///< log2 of the rms
  max_abs,     ///< log2 of the largest
  bias,        ///< |mean of sgn(y)e/σ| of sampled sums
  rho,         ///< rms of e/σ of sampled sums
  misrounded,  ///< share of 16-bit results that are not rounded rightly; tested as asin √share
  rel_l2,      ///< log2 of the relative error, in the 2-norm, of a result of the graph
};

constexpr auto enum_names(Measure) {
  return std::array<std::string_view, 6>{"rms", "max_abs", "bias", "rho", "misrounded", "rel_l2"};
}

/// A statistic of one output before and after.
struct Effect {
  Measure measure = Measure::rms;
  Tested tested = {};
  double size = 0;           ///< mean difference, in powers of two, of the statistic or as a share
  double low = 0, high = 0;  ///< 95 % interval of `size`, by Student's t, of this statistic alone
  bool is_worse = false, is_better = false;
};

/// The finding on an output.
enum class Standing { changed, better, worse, untold, appeared };

constexpr auto enum_names(Standing) {
  return std::array<std::string_view, 5>{"changed", "better", "worse", "untold", "new"};
}

/// An output of one node that has other bits than it had, or another verdict.
struct Change {
  std::string id = {}, file = {}, node = {}, op = {}, dtype = {}, kernel = {};
  Standing standing = Standing::changed;
  DriftCause cause = DriftCause::unexplained;
  std::string about = {};                ///< "split_k -> tiled"
  std::size_t seeds = 0, differing = 0;  ///< that were compared, and those with other bits
  std::string verdicts = {};             ///< "passed -> failed"; "" where none became worse
  bool is_accepted = false;
  bool is_told = false;              ///< there were seeds enough to test it
  std::vector<Effect> effects = {};  ///< the strongest first

  bool fails(const policy::DriftRules& rules) const;
  /// "rms 1.90 times (1.85 to 1.95), p = 0.0078", of the strongest effect; "" where nothing was tested.
  std::string effect_text() const;
};

struct Drift {
  std::vector<Change> changes = {};      ///< the worst first
  std::vector<std::string> ids = {};     ///< cases that were compared
  std::vector<std::string> notes = {};   ///< reasons why something was not compared
  std::size_t outputs = 0;               ///< compared
  std::size_t hypotheses = 0;            ///< tested
  std::size_t limits = 0;                ///< outputs with equal bits, but another limit
  std::size_t seeds = 0;                 ///< common to both, or of now where none are
  std::size_t wanted_seeds = 0;          ///< fewest that can show anything
  bool is_paired = true;                 ///< both have some seeds in common
  std::string device = {}, driver = {};  ///< those of the runs of now
  policy::DriftRules rules = {};

  bool fails() const;
  /// Whether something changed, and nothing can be said of it.
  bool is_untold() const;
};

/// Compares runs of now with those of base: by subject, and by options where one of both has several runs of a subject,
/// by node and output, over all seeds that both have; where there are none, over those of each. Throws Error where no
/// subject is common, with the ids that are nearest, and where runs of several devices are on one side.
Drift compare(std::vector<Record> base, std::vector<Record> now, const policy::DriftRules& rules);

}  // namespace plumb::parity::studies::drift
