// Single elements, special values.

#include <cmath>

#include "parity/core/float_format.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {
namespace {

/// One element changed: the first that `change` makes another number of, from the middle of the
/// tensor on. What lies there is arbitrary, and the same in every run.
template <class Change>
std::optional<Numbers> one_element(const Site& site, Change change) {
  const std::size_t n = site.elements();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = (n * 5 / 8 + k) % n;
    const double other = change(i);
    if (other == site.got[i] || !std::isfinite(site.got[i])) continue;
    Numbers faulty = site.got;
    faulty[i] = other;
    return faulty;
  }
  return {};
}

std::optional<Numbers> element_zero(const Site& site) {
  return one_element(site, [](std::size_t) { return 0.0; });
}

std::optional<Numbers> element_neighbour(const Site& site) {
  return one_element(site, [&](std::size_t i) { return site.got[i + 1 < site.elements() ? i + 1 : 0]; });
}

std::optional<Numbers> element_negated(const Site& site) {
  if (!ir::is_float(site.type.dtype)) return {};
  return one_element(site, [&](std::size_t i) { return -site.got[i]; });
}

/// A code, an index or a count that is one off.
std::optional<Numbers> element_one_off(const Site& site) {
  if (ir::is_float(site.type.dtype) || site.type.dtype == ir::DType::boolean) return {};
  return one_element(site, [&](std::size_t i) { return site.got[i] > 0 ? site.got[i] - 1 : site.got[i] + 1; });
}

/// Every element that `chosen` holds of, replaced; nothing where there is none.
template <class Chosen, class Change>
std::optional<Numbers> every(const Site& site, Chosen chosen, Change change) {
  if (!ir::is_float(site.type.dtype)) return {};
  Numbers faulty = site.got;
  bool any = false;
  for (double& x : faulty)
    if (chosen(x)) {
      x = change(x);
      any = true;
    }
  if (!any) return {};
  return faulty;
}

std::optional<Numbers> nan_to_zero(const Site& site) {
  return every(
      site, [](double x) { return std::isnan(x); }, [](double) { return 0.0; });
}

std::optional<Numbers> infinity_clamped(const Site& site) {
  const core::FloatFormat format = core::float_format(site.type.dtype);
  const double largest = format.largest();
  return every(
      site, [](double x) { return std::isinf(x); }, [=](double x) { return std::copysign(largest, x); });
}

/// Elsewhere the sign of a zero is nobody's business (ops.md 1.5).
std::optional<Numbers> zero_sign_lost(const Site& site) {
  if (site.segment.judged.error_class != ir::ErrorClass::bits) return {};
  return every(
      site, [](double x) { return x == 0 && std::signbit(x); }, [](double) { return 0.0; });
}

std::optional<Numbers> subnormals_flushed(const Site& site) {
  const ir::DType dtype = site.type.dtype;
  if (site.flushes_subnormals && dtype != ir::DType::f16) return {};
  const double least = core::float_format(dtype).smallest_normal();
  return every(
      site, [=](double x) { return x != 0 && std::abs(x) < least; }, [](double) { return 0.0; });
}

constexpr Fault of_values[] = {
    {"element_zero", "one element is 0", "any", true, element_zero},
    {"element_neighbour", "one element is the one behind it", "any", true, element_neighbour},
    {"element_negated", "one element has the wrong sign", "floats", true, element_negated},
    {"element_one_off", "one code, index or count is one off", "integers", true, element_one_off},
    {"nan_to_zero", "0 for every NaN", "floats with NaN", true, nan_to_zero},
    {"infinity_clamped", "the largest finite number for every infinity", "floats with infinities", true,
     infinity_clamped},
    {"zero_sign_lost", "0 for every -0", "floats that are moved, with -0", true, zero_sign_lost},
    {"subnormals_flushed", "0 for every subnormal, on a device that promises to keep them", "floats with subnormals",
     true, subnormals_flushed},
};

}  // namespace

std::span<const Fault> faults_of_values() { return of_values; }

}  // namespace plumb::parity::power::faults
