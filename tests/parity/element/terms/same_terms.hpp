#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ir/error.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/lora_matmul.hpp"
#include "ir/ops/resize.hpp"
#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// Whether the element program of an op says all that its walker says. Weights of resize and grid_sample have errors
/// that the contract states; an einsum may have sums in sums, for which its program has one, and lora_matmul has.
inline bool can_be_recorded(const ir::Op& op) {
  if (op.is<ir::ops::Resize>() || op.is<ir::ops::GridSample>() || op.is<ir::ops::LoraMatmul>()) return false;
  return !op.is<ir::ops::Einsum>() || std::ranges::count(op.as<ir::ops::Einsum>().equation, ',') < 2;
}

/// The numbers of a list of products, those of einsum in the order of their sizes: its program counts labels in
/// another order than its contract.
inline std::vector<std::array<double, 2>> factors_of(const ir::Op& op, const std::vector<Product>& products) {
  std::vector<std::array<double, 2>> factors;
  for (const Product& one : products) factors.push_back({one.a, one.b});
  if (op.is<ir::ops::Einsum>()) std::ranges::sort(factors);
  return factors;
}

/// How two accounts of an element differ; empty where they do not. On which side a number stands that is added as it
/// is says nothing. The mean of nothing is NaN, and no walker is asked for its divisor.
inline std::string difference(const ir::Op& op, const ElementSum& a, const ElementSum& b) {
  if (!a.inner.empty()) return "";
  if (a.terms.empty() && b.divisor == 0) return "";
  const auto added = [](const ElementSum& sum) {
    std::vector<std::array<double, 2>> factors;
    for (const Product& one : sum.added)
      factors.push_back(one.b == 1 ? std::array{1.0, one.a} : std::array{one.a, one.b});
    return factors;
  };
  if (factors_of(op, a.terms) != factors_of(op, b.terms))
    return ir::cat(a.terms.size(), " terms, and ", b.terms.size(), " others");
  if (added(a) != added(b)) return ir::cat(a.added.size(), " numbers behind, and ", b.added.size(), " others");
  if (a.scale != b.scale) return ir::cat("scale ", a.scale, ", and ", b.scale);
  if (a.divisor != b.divisor) return ir::cat("divisor ", a.divisor, ", and ", b.divisor);
  if (a.off != b.off || a.moved != b.moved || a.is_rounded != b.is_rounded) return "other errors of factors";
  return a.places != b.places || a.all_places != b.all_places ? "other places" : "";
}

}  // namespace plumb::parity::element::terms
