// Patterns of terms: ranges of a sum that are missing, added twice or stale, tried on a sample of failing elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "parity/checks/patterns/failing.hpp"

namespace plumb::parity::checks::patterns {
namespace {

using cases::Pattern;
using cases::PatternKind;

constexpr std::size_t most_elements = 64, most_candidates = 4096;

/// One failing element: its terms as they enter it, zeros for those that an element at an edge lacks, their running
/// sums, and by how much it is off.
struct Element {
  std::int64_t row = 0;
  std::vector<double> terms, sums;  ///< sums[k] is that of the first k terms
  double off = 0, limit = 0;

  double range(std::int64_t first, std::int64_t end) const {
    return sums[static_cast<std::size_t>(end)] - sums[static_cast<std::size_t>(first)];
  }
};

/// Failing elements spread over the output, the first ones of different rows.
std::vector<Element> elements_of(const Failing& failing, const element::terms::Walker& walker) {
  const std::int64_t columns = failing.shape.empty() ? 1 : failing.shape[failing.shape.size() - 1];
  std::vector<Element> elements;
  const std::size_t count = std::min(most_elements, failing.elements.size());
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t at = n * failing.elements.size() / count, i = failing.elements[at];
    element::terms::ElementSum sum;
    walker(static_cast<std::int64_t>(i), sum);
    Element one{.row = static_cast<std::int64_t>(i) / std::max<std::int64_t>(columns, 1), .terms = {}, .sums = {0}};
    one.terms.assign(std::max(sum.terms.size(), sum.all_places), 0);
    for (std::size_t k = 0; k < sum.terms.size(); ++k)
      one.terms[sum.places.empty() ? k : sum.places[k]] = sum.terms[k].value() * sum.scale / sum.divisor;
    for (const double term : one.terms) one.sums.push_back(one.sums.back() + term);
    one.off = failing.came[i] - failing.truth[i];
    one.limit = failing.limits[at];
    const bool is_usable = std::isfinite(one.off) && std::isfinite(one.limit) && std::isfinite(one.sums.back());
    if (is_usable && (elements.empty() || elements[0].terms.size() == one.terms.size()))
      elements.push_back(std::move(one));
  }
  std::set<std::int64_t> rows;
  std::stable_partition(elements.begin(), elements.end(),
                        [&](const Element& one) { return rows.insert(one.row).second; });
  return elements;
}

struct Candidate {
  PatternKind kind;
  std::int64_t k0, k1, period;
};

/// The error of an element if the candidate is the fault.
double effect(const Candidate& one, const Element& element) {
  const auto count = static_cast<std::int64_t>(element.terms.size());
  switch (one.kind) {
    case PatternKind::missing:
      return -element.range(one.k0, one.k1);
    case PatternKind::twice:
      return element.range(one.k0, one.k1);
    case PatternKind::stale:
      return element.range(one.k0 - one.period, one.k1 - one.period) - element.range(one.k0, one.k1);
    default: {
      double sum = 0;
      for (std::int64_t k = one.k0; k < count; k += one.period) sum -= element.terms[static_cast<std::size_t>(k)];
      return sum;
    }
  }
}

bool explains(const Candidate& one, const Element& element) {
  return std::abs(element.off - effect(one, element)) <= element.limit;
}

/// All ranges whose ends are multiples of `step`, or the end of all terms, that explain one element when they are
/// missing (sign -1) or added twice (sign 1).
void add_ranges(const Element& element, std::int64_t step, double sign, std::vector<Candidate>& found) {
  const auto count = static_cast<std::int64_t>(element.terms.size());
  std::vector<std::pair<double, std::int64_t>> ends;
  for (std::int64_t k = 0; k < count; k += step) ends.emplace_back(element.sums[static_cast<std::size_t>(k)], k);
  ends.emplace_back(element.sums.back(), count);
  std::ranges::sort(ends);
  for (const auto& [sum, k0] : ends) {
    const double wanted = sum + sign * element.off;
    for (auto at = std::ranges::lower_bound(ends, std::pair(wanted - element.limit, std::int64_t{0}));
         at != ends.end() && at->first <= wanted + element.limit; ++at) {
      if (at->second <= k0) continue;
      if (found.size() == most_candidates) return;
      found.push_back({sign < 0 ? PatternKind::missing : PatternKind::twice, k0, at->second, 0});
    }
  }
}

std::vector<Candidate> candidates_of(const std::vector<Element>& elements, std::span<const ir::SumLevel> levels) {
  const auto count = static_cast<std::int64_t>(elements[0].terms.size());
  std::vector<Candidate> found;
  std::set<std::int64_t> lanes;
  for (const ir::SumLevel& level : levels)
    if (level.count > 1) lanes.insert(level.count);
  for (std::int64_t width = 2; width <= 256; width *= 2) lanes.insert(width);
  for (const std::int64_t width : lanes)
    for (std::int64_t k = 0; k < width && width < count; ++k) found.push_back({PatternKind::lane, k, count, width});
  for (const std::int64_t width : {8, 16, 32, 64, 128, 256})
    for (std::int64_t k = width; k + width <= count; k += width)
      found.push_back({PatternKind::stale, k, k + width, width});
  const std::size_t others = found.size();
  // Long steps first: kernels lose whole tiles. Steps of one term find whatever is left.
  for (const std::int64_t step : {256, 64, 16, 8, 1})
    for (std::size_t n = 0; n < std::min(least_elements, elements.size()); ++n)
      for (const double sign : {-1.0, 1.0}) {
        if (step > 1 && step >= count) continue;
        std::vector<Candidate> ranges;
        add_ranges(elements[n], step, sign, ranges);
        found.insert(found.end(), ranges.begin(), ranges.end());
        if (found.size() > others + 4 * most_candidates) return found;
      }
  return found;
}

std::string text_of(const Candidate& one, std::int64_t count) {
  const std::int64_t last = one.k1 - 1, terms = one.k1 - one.k0;
  const std::string which = terms == 1 ? fmt::format("term {}", one.k0) : fmt::format("terms {} to {}", one.k0, last);
  const std::string where = one.k0 == 0 && one.k1 == count ? ", all there are"
                            : one.k1 == count              ? fmt::format(", the last {} of {}", terms, count)
                            : one.k0 == 0                  ? fmt::format(", the first {} of {}", terms, count)
                                                           : fmt::format(" of {}", count);
  const char* const be = terms == 1 ? "is" : "are";
  switch (one.kind) {
    case PatternKind::missing:
      return fmt::format("{} {} missing{}", which, be, where);
    case PatternKind::twice:
      return fmt::format("{} {} added twice{}", which, be, where);
    case PatternKind::stale:
      return fmt::format("in place of {} those {} before are added{}", which, one.period, where);
    default:
      return fmt::format("every {}th term from {} on is missing", one.period, one.k0);
  }
}

}  // namespace

std::vector<Pattern> terms_of(const Failing& failing, const element::terms::Walker& walker,
                              std::span<const ir::SumLevel> levels) {
  const std::vector<Element> elements = elements_of(failing, walker);
  if (elements.size() < least_elements || elements[0].terms.empty()) return {};
  const auto needed = static_cast<std::size_t>(std::ceil(least_share * static_cast<double>(elements.size())));
  const Candidate* best = nullptr;
  std::size_t most = 0;
  const std::vector<Candidate> candidates = candidates_of(elements, levels);
  for (const Candidate& one : candidates) {
    std::size_t explained = 0;
    for (std::size_t n = 0; n < elements.size(); ++n) {
      explained += explains(one, elements[n]) ? 1 : 0;
      if (explained + (elements.size() - n - 1) < std::max(needed, most + 1)) break;
    }
    if (explained > most && explained >= std::max(needed, least_elements)) {
      best = &one;
      most = explained;
    }
  }
  if (best == nullptr) return {};
  const auto count = static_cast<std::int64_t>(elements[0].terms.size());
  const bool is_lane = best->kind == PatternKind::lane;
  return {{.kind = best->kind,
           .period = best->period,
           .phase = is_lane ? best->k0 : 0,
           .k0 = best->k0,
           .k1 = best->k1,
           .score = static_cast<double>(most) / static_cast<double>(elements.size()),
           .text = text_of(*best, count)}};
}

}  // namespace plumb::parity::checks::patterns
