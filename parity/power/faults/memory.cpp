// Memory that holds something else: an earlier run, another value, nothing.

#include <algorithm>

#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/tile.hpp"

namespace plumb::parity::power::faults {
namespace {

std::optional<Numbers> stale_tile(const Site& site) {
  if (!site.before) return {};
  return with_tile(site, middle_tile(site),
                   [&](std::size_t r, std::size_t c) { return (*site.before)[r * site.columns() + c]; });
}

std::optional<Numbers> unwritten_tile(const Site& site) {
  return with_tile(site, middle_tile(site), [](std::size_t, std::size_t) { return 0.0; });
}

/// The last row, which a workgroup too few left as it was.
std::optional<Numbers> unwritten_end(const Site& site) {
  Numbers faulty = site.got;
  const std::size_t last = site.rows() < 2 ? site.elements() - site.elements() / 4 : site.elements() - site.columns();
  std::fill(faulty.begin() + static_cast<std::ptrdiff_t>(last), faulty.end(), 0.0);
  return faulty;
}

/// Copies the first bytes of `from` over those of `to`.
void overwrite(ir::Tensor& to, std::span<const std::byte> from) {
  std::ranges::copy(from.first(std::min(from.size(), to.bytes().size())), to.bytes().begin());
}

std::optional<Numbers> stale_upload(const Site& site) {
  auto inputs = site.inputs();
  bool any = false;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (site.operands[k].origin == Origin::upload && site.operands[k].before) {
      inputs[k] = *site.operands[k].before;
      any = true;
    }
  if (!any) return {};
  return site.on(inputs);
}

/// A reader that did not wait: the second half of what it reads is of the run before.
std::optional<Numbers> missing_barrier(const Site& site) {
  auto inputs = site.inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Operand& operand = site.operands[k];
    if (operand.origin != Origin::computed || !operand.before) continue;
    const auto now = operand.now.bytes();
    inputs[k] = *operand.before;
    overwrite(inputs[k],
              now.first(now.size() / 2 / ir::info(operand.now.dtype()).bytes * ir::info(operand.now.dtype()).bytes));
    return site.on(inputs);
  }
  return {};
}

/// The output shares memory with the first operand of floats, whose first half it has overwritten before
/// it is read.
std::optional<Numbers> aliased_slots(const Site& site) {
  auto inputs = site.inputs();
  const ir::Tensor output = tensor_of(site.type, site.got);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (site.operands[k].origin != Origin::computed || !ir::is_float(inputs[k].dtype())) continue;
    if (inputs[k].dtype() != site.type.dtype) continue;
    const std::size_t half = inputs[k].bytes().size() / 2 / 8 * 8;
    overwrite(inputs[k], output.bytes().first(std::min(half, output.bytes().size())));
    return site.on(inputs);
  }
  return {};
}

constexpr Fault of_memory[] = {
    {"stale_tile", "a 16x16 tile is of an earlier run", "any that depends on an input", true, stale_tile},
    {"unwritten_tile", "a 16x16 tile is 0", "any", true, unwritten_tile},
    {"unwritten_end", "the last row is 0", "any", true, unwritten_end},
    {"stale_upload", "inputs are those of an earlier run", "any that reads an input", true, stale_upload},
    {"missing_barrier", "the second half of an operand is of an earlier run", "any that reads a computed value", true,
     missing_barrier},
    {"aliased_slots", "the output overwrote half of an operand before it was read", "floats that read a computed value",
     true, aliased_slots},
};

}  // namespace

std::span<const Fault> faults_of_memory() { return of_memory; }

}  // namespace plumb::parity::power::faults
