#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "parity/cases/units.hpp"
#include "parity/compare/telling.hpp"

/// How outputs are judged that limits of single elements cannot judge, since they depend on each other or on choices
/// (verdict.md 14).
namespace plumb::parity::judges {

/// The ratio of what no rounding explains.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// An error in standard deviations, of what is held to λσ + d: λσ is `chance`, all of it `limit` (verdict.md V53). NaN
/// where there is no chance in the limit; then no λ changes what is beyond it.
inline double in_deviations(double error, double limit, double chance, double lambda) {
  if (chance > 0 && std::isfinite(chance) && std::isfinite(limit)) return lambda * (1 + (error - limit) / chance);
  return error > limit ? infinite : std::numeric_limits<double>::quiet_NaN();
}

/// Equal numbers, or a NaN that meets a NaN.
inline bool is_alike(double y, double c) { return y == c || (y != y && c != c); }

/// The worth of a unit as evidence. The first four are judged, the others are apart.
enum class Standing : std::uint8_t {
  informative,  ///< it says something by agreeing
  silent,       ///< all of it is zero
  loose,        ///< its limit is too wide to say something
  not_finite,   ///< the truth is not, and has to be met by its like
  wild,         ///< nothing is known of its values, since one that is not finite came in
  flagged,      ///< more choices are open than can be tried
  untraced,     ///< nobody kept what it was made of
};

constexpr bool is_apart(Standing standing) { return standing >= Standing::wild; }

/// How one output came out.
struct OutputJudgement {
  cases::UnitKind kind = cases::UnitKind::element;
  ir::Tensor truth = {};  ///< under the candidate's own decisions, in the dtype of the widened output

  /// The limits of the elements, where the kind is element.
  compare::Allowed allowed = {};

  /// Where it is another: which elements a unit is, as lines of an output are counted, and by unit its ratio, its error
  /// over what nothing but a defect exceeds (empty: there is no such limit), and its standing. A ratio that is NaN says
  /// that its limit is not finite where the truth is, which is wrong of the judge.
  compare::Line unit = {};
  std::vector<double> ratio = {}, certain = {};
  std::vector<Standing> standing = {};
  /// By unit, as in_deviations(); empty where limits do not depend on λ, or it is not known how.
  std::vector<double> sigma = {};

  cases::Decisions decisions = {};
  double residual = compare::not_computed, orthogonality = compare::not_computed;

  /// How far the truth of the op may itself be off, for oracles of its elements; nothing: they are not asked.
  std::optional<compare::Allowed> uncertainty = {};

  std::size_t units() const { return ratio.size(); }
  /// An element that is in unit `u`: its `i`-th.
  std::size_t element(std::size_t u, std::size_t i) const {
    const auto length = static_cast<std::size_t>(unit.length), inner = static_cast<std::size_t>(unit.inner);
    return (u / inner * length + i) * inner + u % inner;
  }
};

/// How the outputs of a node came out, all of which were judged together.
struct Judgement {
  std::vector<OutputJudgement> outputs;
};

}  // namespace plumb::parity::judges
