// The limits of one sum inside an op, term by term, and its replay in f32 in the kernel's order.
// Optimised: it loops over elements or terms.
#include "parity/settle/inside_sum.hpp"

#include <algorithm>

#include "parity/bounds/error_terms.hpp"
#include "parity/settle/replay.hpp"

namespace plumb::parity::settle {

InsideSum::InsideSum(const bounds::Node& node, ir::SumName name, bool exact_terms)
    : arithmetic_(bounds::sum_arithmetic(node.with_sum(name), exact_terms)), lambda_(node.lambda()) {}

double InsideSum::wide_error(const element::terms::ElementSum& sum) const {
  return std::max(error(sum).probable, sums::wide_limit(sum, arithmetic_, lambda_));
}

std::optional<float> InsideSum::replay(std::span<const float> a, std::span<const float> b, bool fused) const {
  if (!arithmetic_.sum) return std::nullopt;
  if (!arithmetic_.is_compensated()) return replayed(a, b, *arithmetic_.sum, fused);
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return static_cast<float>(sum);
}

std::optional<float> InsideSum::replay(std::span<const float> terms, bool fused) const {
  return replay(terms, std::vector<float>(terms.size(), 1.0f), fused);
}

}  // namespace plumb::parity::settle
