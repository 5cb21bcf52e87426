// The emulator's replay of an output, and the pattern of the elements where the device differs from it.
#include "parity/checks/patterns/emulation.hpp"

#include "parity/checks/patterns/explain.hpp"
#include "parity/profile/emulated_node.hpp"

namespace plumb::parity::checks::patterns {
namespace {

/// The pattern of the elements that differ from the replay by more than an eighth of their limit; empty where none
/// exceeds its whole limit. The replay has the kernel's own roundings, so that smaller differences count than next to
/// the truth. A difference in arithmetic has no pattern of terms. It is a hint, and decides nothing.
std::string pattern_of(const settle::Subject& subject, std::size_t k, compare::Allowed allowed,
                       const ir::Tensor& replayed, const ir::Tensor& got, const cases::NodeResult& result) {
  if (compare::compare(replayed, got, allowed).agrees()) return "";
  allowed.of_limits /= 8;
  return cases::to_text(explain(subject, k, replayed, allowed, got), result.kernel, result.tile);
}

}  // namespace

void add_emulation(const profile::DeviceProfile& profile, const settle::Subject& subject, std::size_t k,
                   const compare::Allowed& allowed, const ir::Tensor& got, cases::NodeResult& result) {
  profile::Emulation found =
      profile::emulation_of(subject.reference, profile, result.sums, subject.segment, subject.inputs, k, got, &allowed);
  result.emulator_ulp = found.ulp;
  result.emulator_share = found.share;
  if (found.replayed) result.emulator_pattern = pattern_of(subject, k, allowed, *found.replayed, got, result);
}

}  // namespace plumb::parity::checks::patterns
