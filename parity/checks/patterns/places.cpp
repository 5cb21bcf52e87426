// Patterns of place: rows, columns or matrices, by period or at the end, in which failures crowd beyond chance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/checks/patterns/place_classes.hpp"

namespace plumb::parity::checks::patterns {
namespace {

using cases::Pattern;
using cases::PatternKind;

constexpr double least_score = 3;  // decimal digits, verdict.md V60
constexpr std::int64_t longest_period = 256;
constexpr std::size_t most_places = 1 << 16;

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

std::vector<Sorting> sortings_of(std::span<const Place> places, const Extents& n) {
  const double elements = n.elements();
  const auto zeros = [](std::int64_t extent) { return std::vector<double>(static_cast<std::size_t>(extent)); };
  std::vector<double> batches = zeros(n.batches), rows = zeros(n.rows), columns = zeros(n.columns);
  for (const Place& one : places) {
    batches[static_cast<std::size_t>(one.batch)] += 1;
    rows[static_cast<std::size_t>(one.row)] += 1;
    columns[static_cast<std::size_t>(one.column)] += 1;
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

void try_sorting(const Sorting& one, BestClass& best) {
  double hits = 0, all = 0;
  for (std::int64_t phase = one.period; phase-- > 0;) {
    const auto at = static_cast<std::size_t>(phase);
    hits += one.failing[at];
    all += one.all[at];
    const auto as = [&](bool is_tail) {
      return Pattern{.kind = one.kind,
                     .period = one.period,
                     .phase = phase,
                     .text = place_text(one.kind, phase, one.period, is_tail)};
    };
    best.try_class(one.failing[at], one.all[at], [&] { return as(false); });
    if (one.has_tails) best.try_class(hits, all, [&] { return as(true); });
  }
}

/// A whole number below `end` that hangs on `n` alone and follows no period.
std::size_t scattered(std::uint64_t n, std::size_t end) {
  n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9;
  n = (n ^ (n >> 27)) * 0x94D049BB133111EB;
  return static_cast<std::size_t>((n ^ (n >> 31)) % end);
}

/// All failing elements or, of very many, one of each run of as many, at no fixed distance.
std::vector<Place> places_in(const Failing& failing, const Extents& n) {
  const std::size_t all = failing.elements.size(), count = std::min(all, most_places);
  const auto width = static_cast<std::size_t>(n.columns), height = static_cast<std::size_t>(n.rows);
  std::vector<Place> places;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t first = k * all / count, end = (k + 1) * all / count;
    const std::size_t i = failing.elements[first + scattered(k + 1, end - first)];
    places.push_back({i, static_cast<std::int64_t>(i / width / height), static_cast<std::int64_t>(i / width % height),
                      static_cast<std::int64_t>(i % width)});
  }
  return places;
}

}  // namespace

bool BestClass::raises(double hits, double all) {
  tried_ += 1;
  if (all <= 0 || all >= elements_) return false;
  const double score = -log_chance(hits, drawn_, all / elements_) / std::log(10.0);
  // A longer period that says the same must say it more clearly.
  if (!(score > score_ * (1 + 1e-9))) return false;
  score_ = score;
  return true;
}

std::vector<Pattern> BestClass::found() const {
  Pattern best = best_;
  best.score = score_ - std::log10(std::max(tried_, 1.0));
  if (!(best.score > least_score)) return {};
  return {best};
}

std::vector<Pattern> places_of(const Failing& failing) {
  if (failing.elements.empty() || failing.elements.size() == failing.truth.size()) return {};
  const Extents extents = extents_of(failing.shape);
  const std::vector<Place> places = places_in(failing, extents);
  BestClass best(static_cast<double>(places.size()), extents.elements());
  for (const Sorting& one : sortings_of(places, extents)) try_sorting(one, best);
  try_corners(places, extents, best);
  try_tiles(places, extents, best);
  try_checkerboards(places, extents, best);
  try_strides(places, extents, best);
  return best.found();
}

}  // namespace plumb::parity::checks::patterns
