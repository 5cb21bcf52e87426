#pragma once

#include <string>
#include <vector>

#include "parity/core/terminal/style.hpp"

namespace plumb::parity::core::terminal {

/// A column of a table that is made to fit.
struct Column {
  std::string header;
  bool is_left = false;   ///< set to the left of the column
  std::size_t least = 0;  ///< columns of the screen that it has at least
  std::size_t gap = 2;    ///< spaces before it
  unsigned goes = 0;      ///< where the screen is too narrow, columns go in this order; 0: never
};

/// A table whose columns go, in the order of `goes`, until its lines fit; if they still do not, the texts of the
/// first column are cut in the middle, to no less than 16 characters.
class FittedTable {
 public:
  explicit FittedTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// A cell for each column; the last one has this colour.
  void row(std::vector<std::string> cells, Colour colour = Colour::none);
  bool empty() const { return rows_.empty(); }
  /// The header and then each row, without ends of lines.
  std::vector<std::string> lines(const Style& style) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
  };

  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace plumb::parity::core::terminal
