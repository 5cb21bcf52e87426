// Sums of all rows with all columns: strips of rows stay in a cache while the columns pass by.
// Optimised: it loops over elements or terms.
#include "parity/profile/many_products.hpp"

#include <algorithm>

#include "parity/core/parallel.hpp"

namespace plumb::parity::profile {
namespace {

using Floats = std::vector<float>;

Floats read(const Lines& lines, std::int64_t first, std::int64_t count) {
  Floats numbers(static_cast<std::size_t>(count * lines.terms));
  lines.read(first, count, numbers.data());
  return numbers;
}

std::span<const float> line_of(const Floats& lines, std::int64_t line, std::int64_t terms) {
  return std::span(lines).subspan(static_cast<std::size_t>(line * terms), static_cast<std::size_t>(terms));
}

/// Rows [first, first + count) by all columns, as many columns at once as the emulator makes sums.
class Strip {
 public:
  Strip(const ProductEmulator& emulator, const Lines& rows, std::int64_t first, std::int64_t count)
      : emulator_(emulator), rows_(read(rows, first, count)), first_(first), count_(count), terms_(rows.terms) {
    for (std::int64_t m = 0; m < count && emulator.makes_many(); ++m) {
      const std::span<const float> row = line_of(rows_, m, terms_);
      prepared_.push_back(emulator.prepared({&row, 1}, false));
    }
  }

  /// The columns from `column` on.
  void multiply(const Lines& columns, std::int64_t column, std::span<float> y) const {
    const std::int64_t count = std::min<std::int64_t>(columns.count - column, ProductEmulator::at_once);
    const Floats numbers = read(columns, column, count);
    std::vector<std::span<const float>> met;
    for (std::int64_t n = 0; n < count; ++n) met.push_back(line_of(numbers, n, terms_));
    ProductEmulator::Sums sums;
    sums.overflowed.fill(true);
    const auto prepared = emulator_.makes_many() ? emulator_.prepared(met, true) : ProductEmulator::Prepared{};
    for (std::int64_t m = 0; m < count_; ++m) {
      if (emulator_.makes_many()) emulator_.dots(prepared_[static_cast<std::size_t>(m)], prepared, sums);
      for (std::size_t n = 0; n < met.size(); ++n)
        y[static_cast<std::size_t>((first_ + m) * columns.count + column) + n] =
            sums.overflowed[n] ? emulator_.dot(line_of(rows_, m, terms_), met[n]) : sums.sums[n];
    }
  }

 private:
  const ProductEmulator& emulator_;
  const Floats rows_;
  const std::int64_t first_, count_, terms_;
  std::vector<ProductEmulator::Prepared> prepared_;
};

}  // namespace

Lines lines_of(std::span<const float> numbers, std::int64_t count, std::int64_t terms, bool is_by_lines) {
  if (is_by_lines)
    return {count, terms, [=](std::int64_t first, std::int64_t n, float* to) {
              std::ranges::copy(
                  numbers.subspan(static_cast<std::size_t>(first * terms), static_cast<std::size_t>(n * terms)), to);
            }};
  return {count, terms, [=](std::int64_t first, std::int64_t n, float* to) {
            for (std::int64_t k = 0; k < terms; ++k)
              for (std::int64_t line = 0; line < n; ++line)
                to[line * terms + k] = numbers[static_cast<std::size_t>(k * count + first + line)];
          }};
}

void multiply(const ProductEmulator& emulator, const Lines& rows, const Lines& columns, std::span<float> y) {
  constexpr std::int64_t rows_at_once = 128;
  constexpr auto width = static_cast<std::int64_t>(ProductEmulator::at_once);
  const auto blocks = static_cast<std::size_t>((columns.count + width - 1) / width);
  for (std::int64_t m = 0; m < rows.count; m += rows_at_once) {
    const Strip strip(emulator, rows, m, std::min(rows_at_once, rows.count - m));
    core::for_each_piece(blocks, core::workers_for(blocks), [&](std::size_t block, std::size_t) {
      strip.multiply(columns, static_cast<std::int64_t>(block) * width, y);
    });
  }
}

}  // namespace plumb::parity::profile
