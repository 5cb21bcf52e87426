#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ir/sums.hpp"

namespace plumb::parity::results {

/// /graph/<sha12>/sums: how the kernels of a graph's nodes add, a text for each sum. The sums of a kernel stand side by
/// side, and once for all runs that had the same ones.
class SumList {
 public:
  explicit SumList(std::vector<std::string> stored = {}) : texts_(std::move(stored)), written_(texts_.size()) {}

  /// Where the sums of the kernel of a node begin; -1 where it has none.
  std::int32_t place(const std::string& label, std::span<const ir::Sum> sums);

  /// The texts that were added since the last call.
  std::vector<std::string> take_new();

 private:
  std::vector<std::string> texts_;
  std::size_t written_;
  std::map<std::vector<std::string>, std::int32_t> places_ = {};
};

}  // namespace plumb::parity::results
