#include "bench/verdict_rules/rules.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::bench {
namespace {

/// Whether every element holds; what is not finite must be the very same for anybody.
template <class Holds>
bool every(const Outcome& o, Holds holds) {
  for (std::size_t i = 0; i < o.got.size(); ++i) {
    const double y = o.truth[i], c = o.got[i];
    if (c == y || (std::isnan(c) && std::isnan(y))) continue;
    if (!std::isfinite(c) || !std::isfinite(y) || !holds(std::abs(c - y), std::abs(y))) return false;
  }
  return true;
}

/// NumPy's and PyTorch's: |c - y| <= atol + rtol |y|.
bool close(const Outcome& o, double rtol, double atol) {
  return every(o, [=](double error, double size) { return error <= atol + rtol * size; });
}

bool plumbline(const Outcome& o) { return o.comparison.agrees(); }
bool torch(const Outcome& o) { return o.dtype == ir::DType::f16 ? close(o, 1e-3, 1e-5) : close(o, 1.3e-6, 1e-5); }
bool onnx(const Outcome& o) { return close(o, 1e-3, 1e-7); }

/// An element is wrong when it is further off than both.
bool xla(const Outcome& o) {
  return every(o, [](double error, double size) { return error <= 0.01 || error <= 0.1 * size; });
}

/// Sums over the whole tensor say nothing of what is not finite: that is held against them beforehand.
bool specials_agree(const Outcome& o) {
  return every(o, [](double, double) { return true; });
}

bool cosine(const Outcome& o) { return specials_agree(o) && o.comparison.cosine >= 0.997; }
bool nmse(const Outcome& o) { return specials_agree(o) && o.comparison.nmse <= 5e-4; }

constexpr VerdictRule rules[] = {
    {"plumbline", "every element within its bound", plumbline},
    {"cosine", "cosine >= 0.997", cosine},
    {"NMSE", "normalised mean square error <= 5e-4 (ggml)", nmse},
    {"XLA", "wrong where off by more than 0.01 and by more than 10 % (isolation)", xla},
    {"ONNX", "rtol 1e-3, atol 1e-7 (backend tests)", onnx},
    {"PyTorch", "rtol 1.3e-6 of f32, 1e-3 of f16, atol 1e-5 (assert_close)", torch},
};

}  // namespace

std::span<const VerdictRule> verdict_rules() { return rules; }

}  // namespace plumb::bench
