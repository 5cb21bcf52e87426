#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "parity/cases/settled.hpp"
#include "parity/settle/rows.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

/// The limits of a tensor, which get those of elements that were looked at.
struct SettledLimits {
  std::span<double> probable, certain, chance;  ///< `chance`: λσ of each; empty where that is not known

  /// The element's own limit, or half of the first one, whichever is larger (verdict.md V15).
  void tighten(std::size_t i, double exact, double of_chance) const {
    const bool is_exact = exact > probable[i] / 2;
    if (!chance.empty()) chance[i] = is_exact ? of_chance : chance[i] / 2;
    probable[i] = is_exact ? exact : probable[i] / 2;
  }
  /// A limit above that, of which so much is chance.
  void widen(std::size_t i, double most, double of_chance) const {
    if (!chance.empty()) chance[i] = of_chance;
    probable[i] = std::max(probable[i], most);
  }
};

/// Open elements of one output and what is known of them.
struct OpenElements {
  const compare::Allowed& allowed;
  std::span<const std::size_t> indices;
  std::span<const double> truth, got;
  ir::DType dtype;
  SettledLimits limits;
  bool limits_only = false;  ///< nothing is replayed, and no limit is widened
};

/// Puts exact limits in place of those of open elements of output `k` of a node that has sums inside, by its rows
/// (rows.hpp); nothing for one that has none. `fed` is what the segment was fed, widened.
std::optional<cases::Settled> settle_rows(const Subject& subject, std::size_t k, const ir::Feeds& fed,
                                          const OpenElements& open);

/// The rows of an output.
struct SharedRows {
  std::vector<std::int64_t> number_of;                            ///< by element, the row whose sums it shares
  std::function<std::unique_ptr<Row>(std::int64_t number)> make;  ///< outlives what it was made for
  std::int64_t terms = 0;                                         ///< see Rows
};

/// Nothing for an op that has no rows for output `k`, or shares its kernel.
std::optional<SharedRows> shared_rows(const Subject& subject, std::size_t k, const ir::Feeds& fed);

}  // namespace plumb::parity::settle
