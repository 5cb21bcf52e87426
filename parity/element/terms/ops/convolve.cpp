#include "ir/ops/convolve.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The taps that meet a sample of the line, the first tap first; kernels count those that meet none, too.
std::optional<Walker> walker(const ir::ops::Convolve&, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0], h = operands[1];
  const std::int64_t samples = y.back(), length = x.shape.back();
  return [=](std::int64_t index, ElementSum& sum) {
    const std::int64_t line = index / samples, n = index % samples;
    for (std::int64_t k = 0; k < h.shape[0]; ++k) {
      if (n - k < 0 || n - k >= length) continue;
      sum.add(h.values[static_cast<std::size_t>(k)], x.values[static_cast<std::size_t>(line * length + n - k)]);
      sum.places.push_back(static_cast<std::size_t>(k));
    }
    sum.all_places = static_cast<std::size_t>(h.shape[0]);
    if (sum.places.size() == sum.all_places) {
      sum.places.clear();
      sum.all_places = 0;
    }
  };
}

}  // namespace plumb::parity::element::terms
