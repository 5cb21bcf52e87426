// Patterns of place: rows, columns or matrices, by period or at the end, in which failures crowd beyond chance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/checks/patterns/failing.hpp"

namespace plumb::parity::checks::patterns {
namespace {

using cases::Pattern;
using cases::PatternKind;

constexpr double least_score = 3;  // decimal digits, verdict.md V60
constexpr std::int64_t longest_period = 256;

/// ln of the probability that of `drawn` elements `hits` or more are in a class that has the share `p` of all, bounded
/// by Chernoff: it is never smaller than the truth's.
double log_chance(double hits, double drawn, double p) {
  const double share = hits / drawn;
  if (share <= p) return 0;
  const double rest = share < 1 ? (1 - share) * std::log((1 - share) / (1 - p)) : 0;
  return -drawn * (share * std::log(share / p) + rest);
}

/// A way to sort elements into classes, of which those from a phase on are one, too.
struct Sorting {
  PatternKind kind;
  std::int64_t period;
  std::vector<double> failing, all;  ///< elements by class
  bool has_tails;                    ///< whether classes from one to the last make sense as one
};

struct Extents {
  std::int64_t batches, rows, columns;
};
Extents extents_of(const ir::Shape& shape) {
  Extents extents{1, 1, 1};
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    (axis + 1 == shape.size()   ? extents.columns
     : axis + 2 == shape.size() ? extents.rows
                                : extents.batches) *= shape[axis];
  return extents;
}

/// Classes by the index along one axis modulo the period; `failing` counts by index, `each` elements have the same one.
Sorting sorted(PatternKind kind, std::int64_t period, const std::vector<double>& failing, double each) {
  const auto classes = static_cast<std::size_t>(period);
  Sorting one{kind, period, std::vector<double>(classes), std::vector<double>(classes), kind != PatternKind::batch};
  for (std::size_t i = 0; i < failing.size(); ++i) {
    one.all[i % classes] += each;
    one.failing[i % classes] += failing[i];
  }
  return one;
}

std::vector<Sorting> sortings_of(const Failing& failing) {
  const Extents n = extents_of(failing.shape);
  const auto elements = static_cast<double>(failing.truth.size());
  const auto zeros = [](std::int64_t extent) { return std::vector<double>(static_cast<std::size_t>(extent)); };
  std::vector<double> batches = zeros(n.batches), rows = zeros(n.rows), columns = zeros(n.columns);
  for (const std::size_t i : failing.elements) {
    const auto width = columns.size(), height = rows.size();
    batches[i / width / height] += 1;
    rows[i / width % height] += 1;
    columns[i % width] += 1;
  }
  std::vector<Sorting> all;
  if (n.batches > 1)
    all.push_back(sorted(PatternKind::batch, n.batches, batches, elements / static_cast<double>(n.batches)));
  const auto add = [&](PatternKind by_period, PatternKind at_end, const std::vector<double>& counts) {
    const auto extent = static_cast<std::int64_t>(counts.size());
    const double each = elements / static_cast<double>(extent);
    for (std::int64_t period = 2; period <= std::min(longest_period, extent / 2); ++period)
      all.push_back(sorted(by_period, period, counts, each));
    if (extent > 1) all.push_back(sorted(at_end, extent, counts, each));
  };
  add(PatternKind::row_mod, PatternKind::last_rows, rows);
  add(PatternKind::column_mod, PatternKind::last_columns, columns);
  return all;
}

std::string place_text(PatternKind kind, std::int64_t phase, std::int64_t period, bool is_tail) {
  const char* const one = kind == PatternKind::row_mod || kind == PatternKind::last_rows ? "row" : "column";
  const bool is_one = !is_tail || phase == period - 1;
  if (kind == PatternKind::batch) return fmt::format("matrix {} of {}", phase, period);
  const std::string which =
      is_one ? fmt::format("{} {}", one, phase) : fmt::format("{}s {} to {}", one, phase, period - 1);
  const bool is_end = kind == PatternKind::last_rows || kind == PatternKind::last_columns;
  if (is_end) return is_tail || phase == period - 1 ? which + ", the last" : which;
  return fmt::format("{} of every {}", which, period);
}

}  // namespace

std::vector<Pattern> places_of(const Failing& failing) {
  const auto drawn = static_cast<double>(failing.elements.size()), elements = static_cast<double>(failing.truth.size());
  if (failing.elements.empty() || failing.elements.size() == failing.truth.size()) return {};
  const std::vector<Sorting> sortings = sortings_of(failing);
  double tried = 0;
  for (const Sorting& one : sortings) tried += static_cast<double>(one.all.size()) * (one.has_tails ? 2 : 1);
  Pattern best;
  const auto try_class = [&](const Sorting& one, std::int64_t phase, double hits, double all, bool is_tail) {
    if (all <= 0 || all >= elements) return;
    const double score = -log_chance(hits, drawn, all / elements) / std::log(10.0) - std::log10(tried);
    // A longer period that says the same must say it more clearly.
    if (score > least_score && score > best.score * (1 + 1e-9))
      best = {.kind = one.kind,
              .period = one.period,
              .phase = phase,
              .score = score,
              .text = place_text(one.kind, phase, one.period, is_tail)};
  };
  for (const Sorting& one : sortings) {
    double hits = 0, all = 0;
    for (std::int64_t phase = one.period; phase-- > 0;) {
      const auto at = static_cast<std::size_t>(phase);
      hits += one.failing[at];
      all += one.all[at];
      try_class(one, phase, one.failing[at], one.all[at], false);
      if (one.has_tails) try_class(one, phase, hits, all, true);
    }
  }
  if (best.text.empty()) return {};
  return {best};
}

}  // namespace plumb::parity::checks::patterns
