#pragma once

#include <functional>

#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {

/// Lines of numbers that are multiplied with others, read when they are needed.
struct Lines {
  std::int64_t count = 0, terms = 0;
  /// Writes lines [first, first + n), one after the other, on any thread.
  std::function<void(std::int64_t first, std::int64_t n, float* numbers)> read;
};

/// Lines in memory: neighbours where `is_by_lines`, else number k of all lines before number k + 1 of any.
Lines lines_of(std::span<const float> numbers, std::int64_t count, std::int64_t terms, bool is_by_lines);

/// y[m, n] = the emulator's sum of row m and column n, on all threads.
void multiply(const ProductEmulator& emulator, const Lines& rows, const Lines& columns, std::span<float> y);

}  // namespace plumb::parity::profile
