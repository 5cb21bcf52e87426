// Counts choices that are not the truth's, and those of them that roundings explain.
#include "parity/judges/conditioning.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::parity::judges {
namespace {

constexpr std::size_t kept = 8;

bool is_worse(const cases::Decision& a, const cases::Decision& b) {
  if (a.is_admissible != b.is_admissible) return !a.is_admissible;
  return a.margin * b.limit > b.margin * a.limit;  // by ratio; limits may be 0
}

}  // namespace

double DecisionReader::read(const std::string& what, std::uint64_t where, double chosen, double truth,
                            const Deciding& by) {
  ++found_.count;
  chance_ += by.step > 0 ? std::min(1.0, 2 * by.limit / by.step) : 1;
  if (chosen == truth) return 0;
  const bool is_admissible = by.margin <= by.limit;  // false where the margin is NaN
  ++(is_admissible ? found_.free : found_.refused);
  const cases::Decision one{what, where, chosen, truth, by.margin, by.limit, is_admissible};
  auto& differing = found_.differing;
  differing.insert(std::ranges::upper_bound(differing, one, is_worse), one);
  if (differing.size() > kept) differing.pop_back();
  if (is_admissible) return by.limit > 0 ? by.margin / by.limit : 0;
  const double ratio = by.margin / by.limit;
  return ratio > 1 ? ratio : std::numeric_limits<double>::infinity();
}

cases::Decisions DecisionReader::take() {
  if (found_.count > 0) found_.bound = chance_ / static_cast<double>(found_.count);
  return found_;
}

std::optional<bool> any_outcome(std::size_t open, const std::function<bool(std::span<const bool> otherwise)>& one) {
  if (open > most_tried) return std::nullopt;
  std::array<bool, most_tried> otherwise = {};
  for (std::size_t combination = 0; combination < std::size_t{1} << open; ++combination) {
    for (std::size_t i = 0; i < open; ++i) otherwise[i] = (combination >> i & 1) != 0;
    if (one(std::span(otherwise).first(open))) return true;
  }
  return false;
}

}  // namespace plumb::parity::judges
