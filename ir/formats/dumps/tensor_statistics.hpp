#pragma once

// Numbers that describe a tensor whose elements nobody wants to read.

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "ir/tensor.hpp"

namespace plumb::ir::formats {

/// The numbers of a tensor; a complex element counts as its modulus, false as 0, and true as 1.
struct TensorStatistics {
  static constexpr std::size_t bins = 16;

  TensorType type = {};
  std::uint64_t elements = 0, nans = 0, infinities = 0, zeros = 0;
  /// Those of the elements that are finite; NaN where there is none.
  double least = std::numeric_limits<double>::quiet_NaN(), most = least, mean = least, rms = least;
  /// How many finite elements are in each of as many equal parts of [least, most]; all in the first where these are
  /// one.
  std::array<std::uint64_t, bins> histogram = {};
};

TensorStatistics statistics_of(const TensorView& x);

using NamedStatistics = std::map<std::string, TensorStatistics>;

/// Schema plumb.statistics/1. `about` is the description of a dump, a JSON text, under "dump".
std::string statistics_json(const NamedStatistics& all, const std::string& about);

}  // namespace plumb::ir::formats
