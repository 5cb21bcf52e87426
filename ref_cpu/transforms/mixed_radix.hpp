// Complex transforms of lines whose length has no prime factor above 7.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::ref_cpu::transforms {

/// Complex numbers, real and imaginary parts apart, so that vectors hold parts of neighbours.
template <class T>
struct Parts {
  T *re, *im;
};

/// Stockham's passes: each takes a factor off the length and leaves the order right. Twiddles are rounded from tables.
template <class T>
class MixedRadix {
 public:
  explicit MixedRadix(std::int64_t length);

  std::int64_t length() const { return length_; }
  /// Transforms x by e^(-2 pi i jk / n), by way of `other`, and says in which of them the result is.
  Parts<T> run(Parts<T> x, Parts<T> other) const;

 private:
  struct Pass {
    std::int64_t radix, rest, stride;
    std::vector<T> re, im;  ///< [radix - 1][rest]
  };

  std::int64_t length_;
  std::vector<Pass> passes_;
};

}  // namespace plumb::ref_cpu::transforms
