#pragma once

// Counts what cases of `plumb fuzz` reach, of all that a device can be asked.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::studies::fuzz {

/// One thing that a case can reach: an op in a dtype, with a choice or a switch of an attribute, with numbers of a kind
/// of fill; a kernel, in a dtype; and an extent of a kernel's tile, of which the result has less, a multiple, ...
struct Cell {
  std::string kind, subject, value;  ///< "dtype", "softmax", "f16"

  auto operator<=>(const Cell&) const = default;
};

/// How often a cell was reached.
struct Reached {
  std::uint64_t device = 0;  ///< nodes that the device ran
  std::uint64_t host = 0;    ///< nodes that it left to the host, or could not run
  std::string first;         ///< the first case that had the device run one
};

/// Shares of cells that were reached, of those that there are.
struct Share {
  std::size_t reached = 0, all = 0;

  double value() const { return all == 0 ? 1 : static_cast<double>(reached) / static_cast<double>(all); }
};

class Coverage {
 public:
  /// Counts the nodes of a case. Whether the device ran one in a cell that none had reached.
  bool add(const cases::CaseResult& result, const std::string& name, const std::string& fill);

  const std::map<Cell, Reached>& cells() const { return cells_; }

  /// The share of cells of this kind, as ops declare them: dtypes of first operands, choices, switches, fills. Cells of
  /// which every node was left to the host are none that the device has. Kernels and tiles declare nothing: none of
  /// none.
  Share share(std::string_view kind) const;
  /// The share of all kinds that are declared.
  Share share() const;

  /// A line for each cell that was tried, with tabs between kind, subject, value, counts and the first case.
  std::string to_text() const;
  /// Adds the counts of such a text. Throws Error, with the number of the line.
  void read(std::string_view text);

 private:
  std::map<Cell, Reached> cells_;
};

/// Kinds that ops declare.
inline constexpr std::array<std::string_view, 4> declared_kinds = {"dtype", "choice", "switch", "fill"};

/// All cells of these kinds.
const std::set<Cell>& declared_cells();

}  // namespace plumb::parity::studies::fuzz
