// Sum records of a graph's kernels for the results file: equal lists are kept once and found by their place.
#include "parity/results/sum_list.hpp"

#include <algorithm>

#include "ir/formats/sums_json.hpp"

namespace plumb::parity::results {

std::int32_t SumList::place(const std::string& label, std::span<const ir::Sum> sums) {
  if (sums.empty()) return -1;
  std::vector<std::string> wanted;
  for (const ir::Sum& sum : sums) wanted.push_back(ir::formats::to_json(ir::formats::SumOfNode{label, sum}));
  const auto [known, is_new] = places_.try_emplace(wanted);
  if (!is_new) return known->second;
  const auto found = std::search(texts_.begin(), texts_.end(), wanted.begin(), wanted.end());
  known->second = static_cast<std::int32_t>(found - texts_.begin());
  if (found == texts_.end()) texts_.insert(texts_.end(), wanted.begin(), wanted.end());
  return known->second;
}

std::vector<std::string> SumList::take_new() {
  std::vector<std::string> fresh(texts_.begin() + static_cast<std::ptrdiff_t>(written_), texts_.end());
  written_ = texts_.size();
  return fresh;
}

}  // namespace plumb::parity::results
