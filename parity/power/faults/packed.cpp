// Packed weights that are read wrongly.

#include <algorithm>

#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/dequantize.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {
namespace {

using ir::kernels::packed::Layout;

/// How the codes of the op are packed; nothing of an op without such.
std::optional<ir::kernels::packed::Packing> packing_of(const Site& site) {
  if (const auto* const op = site.as<ir::ops::Dequantize>()) return op->packing();
  if (const auto* const op = site.as<ir::ops::DequantMatmul>()) return op->packing();
  if (const auto* const op = site.as<ir::ops::DequantGroupedMatmul>()) return op->packing();
  return std::nullopt;
}

/// The first row of codes that is certainly looked at: that of an expert that some row of x has.
std::optional<std::size_t> used_row(const Site& site, const ir::Shape& codes) {
  if (site.as<ir::ops::DequantGroupedMatmul>() == nullptr) return 0;
  for (const double expert : numbers_of(site.operands[*site.operand("expert")].now))
    if (expert >= 0) return static_cast<std::size_t>(expert) * static_cast<std::size_t>(codes[1]);
  return std::nullopt;
}

/// The factors of one block are those of the block behind it.
std::optional<Numbers> neighbour_scale(const Site& site) {
  const auto packing = packing_of(site);
  const auto codes = packing ? site.operand("codes") : std::nullopt;
  if (!codes) return {};
  const Layout layout = ir::kernels::packed::layout(packing->format);
  if (layout.scales != ir::kernels::packed::Scales::in_block) return {};
  auto inputs = site.inputs();
  const auto row = used_row(site, inputs[*codes].shape());
  if (!row || inputs[*codes].elements() == 0) return {};
  const auto row_bytes = static_cast<std::size_t>(inputs[*codes].shape().back());
  const auto block = static_cast<std::size_t>(layout.bytes);
  const std::span<std::byte> bytes = inputs[*codes].bytes();
  for (std::size_t at = *row * row_bytes; at + 2 * block <= bytes.size(); at += block) {
    bool differs = false;
    const auto take = [&](std::size_t place, std::size_t count) {
      for (std::size_t i = at + place; i < at + place + count; ++i) {
        differs = differs || bytes[i] != bytes[i + block];
        bytes[i] = bytes[i + block];
      }
    };
    for (const std::int64_t half : layout.halves)
      if (half >= 0) take(static_cast<std::size_t>(half), 2);
    if (layout.halves[0] < 0) take(0, 1);  // an exponent
    if (differs) return site.on(inputs);
  }
  return {};
}

constexpr Fault of_packed[] = {
    {"neighbour_scale", "the scale of one block is that of the block behind it", "packed weights with scales in blocks",
     true, neighbour_scale},
};

}  // namespace

std::span<const Fault> faults_of_packed() { return of_packed; }

}  // namespace plumb::parity::power::faults
