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

template <int s>
std::optional<Numbers> scaled(const Site& site) {
  return mapped(site, wide, [&](std::size_t i) { return site.got[i] * (1 + std::ldexp(1.0, -s)); });
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

/// Numbers below the normal range of f16 become 0, as where scales pass through f16.
std::optional<Numbers> small_to_zero(const Site& site) {
  return mapped(site, ir::dtypes::R,
                [&](std::size_t i) { return std::abs(site.got[i]) < 0x1p-14 ? 0.0 : site.got[i]; });
}

constexpr Fault of_rounding[] = {
    {"scaled", "every element times 1 + 2^-10", "f32, f64", true, scaled<10>},
    {"scaled_11", "every element times 1 + 2^-11", "f32, f64", false, scaled<11>},
    {"scaled_12", "every element times 1 + 2^-12", "f32, f64", false, scaled<12>},
    {"scaled_13", "every element times 1 + 2^-13", "f32, f64", false, scaled<13>},
    {"scaled_14", "every element times 1 + 2^-14", "f32, f64", false, scaled<14>},
    {"scaled_15", "every element times 1 + 2^-15", "f32, f64", false, scaled<15>},
    {"scaled_16", "every element times 1 + 2^-16", "f32, f64", false, scaled<16>},
    {"scaled_17", "every element times 1 + 2^-17", "f32, f64", false, scaled<17>},
    {"scaled_18", "every element times 1 + 2^-18", "f32, f64", false, scaled<18>},
    {"scaled_19", "every element times 1 + 2^-19", "f32, f64", false, scaled<19>},
    {"scaled_20", "every element times 1 + 2^-20", "f32, f64", false, scaled<20>},
    {"scaled_21", "every element times 1 + 2^-21", "f32, f64", false, scaled<21>},
    {"scaled_22", "every element times 1 + 2^-22", "f32, f64", false, scaled<22>},
    {"scaled_23", "every element times 1 + 2^-23", "f32, f64", false, scaled<23>},
    {"f16_rounding", "every element went through f16", "f32, f64", true, f16_rounding},
    {"bf16_rounding", "every element went through bf16", "f32, f64, f16", true, bf16_rounding},
    {"small_to_zero", "0 for what lies below 2^-14", "floats", true, small_to_zero},
    {"truncated_output", "the result is cut off, not rounded", "floats", false, truncated_output},
    {"double_rounding", "the result is rounded to f32, then to the dtype", "f16, bf16", false, double_rounding},
};

}  // namespace

std::span<const Fault> faults_of_rounding() { return of_rounding; }

}  // namespace plumb::parity::power::faults
