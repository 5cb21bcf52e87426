#pragma once

#include <algorithm>

#include "parity/bounds/runs/choices.hpp"

namespace plumb::parity::bounds::runs {

/// Collects what the indices of an output may be.
class Indices {
 public:
  static constexpr std::size_t most_listed = 8;  ///< candidates of one element that are listed one by one

  explicit Indices(const ir::Tensor& truth) : truth_(truth), of_(static_cast<std::size_t>(truth.elements())) {}

  void set(std::size_t element, std::vector<std::int64_t> candidates) {
    most_ = std::max(most_, candidates.size());
    of_[element] = std::move(candidates);
  }

  Choice choice() const {
    Choice made;
    if (most_ < 2) return made;
    const bool is_range = most_ > most_listed;
    Admissible admissible{.values = {}, .is_range = is_range, .open = {}};
    for (std::size_t k = 0; k < (is_range ? 2 : most_); ++k) admissible.values.push_back(candidate(k, is_range));
    for (const auto& some : of_) admissible.open.push_back(some.size() > 1);
    // Runs that chose alike are told of the first and the last.
    made.extremes = std::pair{candidate(0, true), candidate(1, true)};
    made.admissible = std::move(admissible);
    return made;
  }

 private:
  /// The k-th candidate of every element, the last where there are fewer or, of a range, the first and the last.
  ir::Tensor candidate(std::size_t k, bool is_range) const {
    ir::Tensor y = truth_;
    ir::visit_index(y.dtype(), [&]<class T>(T) {
      for (std::size_t i = 0; i < of_.size(); ++i)
        if (!of_[i].empty())
          y.as<T>()[i] = static_cast<T>(is_range && k > 0 ? of_[i].back() : of_[i][std::min(k, of_[i].size() - 1)]);
    });
    return y;
  }

  const ir::Tensor& truth_;
  std::vector<std::vector<std::int64_t>> of_;
  std::size_t most_ = 0;
};

}  // namespace plumb::parity::bounds::runs
