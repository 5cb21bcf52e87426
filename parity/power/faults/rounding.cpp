// Results rounded once too often, too coarsely or the wrong way.

#include <cmath>

#include "parity/core/float_format.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {
namespace {

constexpr ir::DTypes wide = ir::DType::f32 | ir::DType::f64;
constexpr ir::DTypes narrow = ir::DType::f16 | ir::DType::bf16;

template <class Change>
std::optional<Numbers> mapped(const Site& site, ir::DTypes dtypes, Change change) {
  if (!dtypes.contains(site.type.dtype)) return {};
  Numbers faulty = site.got;
  for (std::size_t i = 0; i < faulty.size(); ++i) faulty[i] = change(i);
  return faulty;
}

std::optional<Numbers> scaled(const Site& site) {
  return mapped(site, wide, [&](std::size_t i) { return site.got[i] * (1 + 0x1p-10); });
}

std::optional<Numbers> f16_rounding(const Site& site) {
  return mapped(site, wide, [&](std::size_t i) { return static_cast<double>(ir::f16(site.got[i])); });
}

std::optional<Numbers> bf16_rounding(const Site& site) {
  return mapped(site, wide | ir::DType::f16, [&](std::size_t i) { return static_cast<double>(ir::bf16(site.got[i])); });
}

/// y cut off at the spacing of the dtype.
std::optional<Numbers> truncated_output(const Site& site) {
  const core::FloatFormat format = core::float_format(site.type.dtype);
  return mapped(site, ir::dtypes::R, [&](std::size_t i) {
    const double y = site.truth[i];
    if (!std::isfinite(y) || std::abs(y) >= format.overflow()) return site.got[i];
    return std::trunc(y / format.ulp(y)) * format.ulp(y);
  });
}

std::optional<Numbers> double_rounding(const Site& site) {
  return mapped(site, narrow, [&](std::size_t i) { return static_cast<double>(static_cast<float>(site.truth[i])); });
}

constexpr Fault of_rounding[] = {
    {"scaled", "every element times 1 + 2^-10", "f32, f64", true, scaled},
    {"f16_rounding", "every element went through f16", "f32, f64", true, f16_rounding},
    {"bf16_rounding", "every element went through bf16", "f32, f64, f16", true, bf16_rounding},
    {"truncated_output", "the result is cut off, not rounded", "floats", false, truncated_output},
    {"double_rounding", "the result is rounded to f32, then to the dtype", "f16, bf16", false, double_rounding},
};

}  // namespace

std::span<const Fault> faults_of_rounding() { return of_rounding; }

}  // namespace plumb::parity::power::faults
