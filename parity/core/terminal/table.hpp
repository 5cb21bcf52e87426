#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::core::terminal {

/// Text in columns, as wide as they need to be; the first of `left` columns are set
/// to the left, the others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header, std::size_t left) : rows_{std::move(header)}, left_(left) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Lines below the last row, indented.
  void note(const std::string& text);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  ///< a single cell is a note
  std::size_t left_;
};

/// "-" for NaN, else three digits: "1.5e-07", "0.21", "9312".
std::string short_number(double x);

/// By axis, the place of element `index`, in row-major order, of a tensor with these extents.
std::vector<std::uint64_t> place_of(std::uint64_t index, std::span<const std::uint64_t> extents);

/// "[2, 7]": the place of element `index`, in row-major order, of a tensor with these extents.
std::string place_text(std::uint64_t index, std::span<const std::uint64_t> extents);

/// "1 node", "2 nodes".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace plumb::parity::core::terminal
