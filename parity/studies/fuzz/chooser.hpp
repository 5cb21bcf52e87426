#pragma once

// Choices from a stream of random numbers, which are the same with every standard library.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "parity/check/sketch.hpp"

namespace plumb::parity::studies::fuzz {

using Whole = std::vector<std::int64_t>;

class Chooser {
 public:
  /// `random` must outlive it.
  explicit Chooser(check::Random& random) : random_(random) {}

  /// A number from 0 to count - 1; count >= 1.
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  bool once_in(std::uint64_t count) { return below(count) == 0; }

  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  std::int64_t number(std::initializer_list<std::int64_t> choices) { return one_of(choices); }
  template <class T>
  const T& element(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  /// So many of these numbers, each drawn by itself.
  Whole numbers(std::size_t count, std::initializer_list<std::int64_t> choices) {
    Whole drawn(count);
    for (std::int64_t& one : drawn) one = one_of(choices);
    return drawn;
  }
  /// 0 to count - 1 in any order.
  Whole permutation(std::size_t count) {
    Whole order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  }

  check::Random& random() { return random_; }

 private:
  check::Random& random_;
};

}  // namespace plumb::parity::studies::fuzz
