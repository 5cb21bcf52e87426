// The measured product nearest in size, by powers of two in each extent, whose tile times stand in for another's.
#include "gpu_vulkan/device/calibration.hpp"

#include <cmath>
#include <string_view>

namespace plumb::gpu_vulkan::device {
namespace {

constexpr double farthest = 4;  // powers of two

double apart(std::int64_t a, std::int64_t b) {
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

double distance(const ProductSize& a, const ProductSize& b) {
  return apart(a.m, b.m) + apart(a.n, b.n) + apart(a.k, b.k) + apart(a.batches, b.batches);
}

}  // namespace

const TileTimes* Calibration::nearest(std::string_view kernel, const ProductSize& size) const {
  const TileTimes* best = nullptr;
  double least = farthest;
  for (const TileTimes& one : products) {
    if (one.kernel != kernel) continue;
    const double far = distance(one.size, size);
    if (far > least || (best != nullptr && far == least)) continue;
    best = &one;
    least = far;
  }
  return best;
}

}  // namespace plumb::gpu_vulkan::device
