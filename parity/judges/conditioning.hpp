#pragma once

#include <functional>
#include <optional>
#include <span>

#include "parity/cases/units.hpp"

/// Choices that are read off what a candidate gave, and whether roundings explain those that the truth does not share
/// (verdict.md V64). The truth of everything else is then evaluated under them.
namespace plumb::parity::judges {

/// The real numbers behind one choice.
struct Deciding {
  double margin = 0;  ///< how far the truth's real is from the nearest that decides as the candidate did; 0: it does
  double limit = 0;   ///< how far the candidate's own real may be from the truth's
  double step = 1;    ///< how far reals have to be apart to decide otherwise
};

/// Reads the choices of one output.
class DecisionReader {
 public:
  /// Takes note of a choice, `what` at element `where`. Returns its ratio: margin over limit, which is 0 where the
  /// truth chooses so as well, and infinite where no real explains it.
  double read(const std::string& what, std::uint64_t where, double chosen, double truth, const Deciding& by);

  /// Whether either neighbour may be chosen: such an element says nothing by agreeing.
  static bool is_open(const Deciding& by) { return 2 * by.limit >= by.step; }

  /// All that was read. Where reals are in no particular place the share of free choices is at most the mean of
  /// min(1, 2·limit/step). More of them say of what the data are made, and nothing of the candidate (docs/bounds.md, of
  /// verdict.md V64).
  cases::Decisions take();

 private:
  cases::Decisions found_;
  double chance_ = 0;  ///< Σ min(1, 2·limit/step)
};

/// As many open choices of one result are tried in every combination; results with more of them are flagged.
inline constexpr std::size_t most_tried = 3;

/// Calls `one` with each combination of so many open choices, until it says that what the candidate gave is within its
/// limits under one of them. False where none is; nothing where they are too many to try (verdict.md V72).
std::optional<bool> any_outcome(std::size_t open, const std::function<bool(std::span<const bool> otherwise)>& one);

}  // namespace plumb::parity::judges
