// Rows of a cache that lie where they do not belong, or were not written.

#include "ir/ops/tensor_scatter.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {
namespace {

/// The output where rows begin elsewhere; nothing where that is no place in the cache, or where they begin there.
std::optional<Numbers> begun_elsewhere(const Site& site, double (*place)(double)) {
  const auto starts = site.as<ir::ops::TensorScatter>() == nullptr ? std::nullopt : site.operand("write_indices");
  if (!starts) return {};
  auto inputs = site.inputs();
  Numbers numbers = numbers_of(inputs[*starts]);
  const Numbers right = numbers;
  for (double& one : numbers) one = place(one);
  if (numbers == right) return {};
  inputs[*starts] = tensor_of(inputs[*starts].type(), numbers);
  return site.on(inputs);
}

/// Rows of the cache that are appended are as they were before.
std::optional<Numbers> stale_rows(const Site& site) {
  if (site.as<ir::ops::TensorScatter>() == nullptr) return {};
  const auto cache = site.operand("cache");
  if (!cache) return {};
  return numbers_of(site.operands[*cache].now);
}

std::optional<Numbers> shifted_rows(const Site& site) {
  auto faulty = begun_elsewhere(site, [](double start) { return start + 1; });
  return faulty ? faulty : begun_elsewhere(site, [](double start) { return start - 1; });
}

std::optional<Numbers> wrapped_rows(const Site& site) {
  return begun_elsewhere(site, [](double) { return 0.0; });
}

constexpr Fault of_caches[] = {
    {"stale_rows", "rows that are appended are what lay there before", "rows written into a cache", true, stale_rows},
    {"shifted_rows", "rows are appended one place off", "rows written into a cache at given places", true,
     shifted_rows},
    {"wrapped_rows", "rows are appended at the cache's beginning, as if it were full",
     "rows written into a cache at given places", true, wrapped_rows},
};

}  // namespace

std::span<const Fault> faults_of_caches() { return of_caches; }

}  // namespace plumb::parity::power::faults
