// What the emulator says of an output, and where the device left it.
#include "parity/patterns/emulation.hpp"

#include "parity/patterns/explain.hpp"
#include "parity/profile/emulated_node.hpp"

namespace plumb::parity::patterns {
namespace {

/// What elements have in common that are off by more than an eighth of what they may be off, where one is off by more
/// than all of it: the replay has the kernel's own roundings, so that much less is told apart than by the truth, but
/// what another arithmetic does has no terms. It is a hint, and decides nothing.
std::string pattern_of(const elements::Subject& subject, std::size_t k, compare::Allowed allowed, ir::Tensor replayed,
                       const ir::Tensor& got, const cases::NodeResult& result) {
  if (compare::compare(replayed, got, allowed).agrees()) return "";
  allowed.of_limits /= 8;
  bounds::Bounded of_replay;
  of_replay.truth.outputs.resize(k + 1, replayed);
  of_replay.allowed.resize(k + 1, allowed);
  return to_text(explain(subject, k, of_replay, got), result.kernel, result.tile);
}

}  // namespace

void add_emulation(const profile::DeviceProfile& profile, const elements::Subject& subject, std::size_t k,
                   const compare::Allowed& allowed, const ir::Tensor& got, cases::NodeResult& result) {
  profile::Emulation found =
      profile::emulation_of(subject.reference, profile, result.sums, subject.segment, subject.inputs, k, got, &allowed);
  result.emulator_ulp = found.ulp;
  result.emulator_share = found.share;
  if (found.replayed)
    result.emulator_pattern = pattern_of(subject, k, allowed, std::move(*found.replayed), got, result);
}

}  // namespace plumb::parity::patterns
