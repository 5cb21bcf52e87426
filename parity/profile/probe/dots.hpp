#pragma once

#include <optional>
#include <span>
#include <vector>

#include "parity/core/trial.hpp"

namespace plumb::parity::profile::probe {

/// One sum of products to try: a[k] b[k], numbers of the operands' dtype.
struct Dot {
  std::vector<float> a, b;

  /// `terms` products that are 0.
  explicit Dot(std::size_t terms = 0) : a(terms, 0.0f), b(terms, 0.0f) {}

  /// Makes product `k` a power of two, split evenly over a and b.
  void set(std::size_t k, int exponent, float factor = 1);
};

/// Which of the kernels of matrix products is to compute the sums: those of m x n matrices, of as many terms as wide
/// accesses want (zeros make up the number), or of one more.
struct ProductShape {
  std::int64_t m = 16, n = 16;
  bool unaligned = false;
};

struct DotSums {
  std::optional<ir::Sum> published = {};  ///< how the kernel that computed them says that it adds
  std::int64_t terms = 0;                 ///< terms per sum, with the zeros that make up the number
  bool on_device = false;                 ///< and not on the host, in place of the device
  std::vector<float> sums = {};           ///< NaN where elements that must be equal differ
};

/// Terms per sum of one batch of these, with zeros that make up the number.
std::int64_t terms_of(ProductShape shape, std::span<const Dot> dots);

/// One batch of matrix products that computes the sums, each of which has every element the same.
core::Trial product_trial(ir::DType operands, ProductShape shape, std::span<const Dot> dots);

/// The sums of such a batch, which was not refused.
DotSums sums_in(const core::TrialEnd& end, ProductShape shape, std::span<const Dot> dots);

}  // namespace plumb::parity::profile::probe
