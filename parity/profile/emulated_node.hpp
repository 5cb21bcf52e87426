#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"
#include "parity/compare/compare.hpp"
#include "parity/core/segment.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile {

/// How far an output of a segment is from what the emulator replays of the kernel that made it.
struct Emulation {
  /// In ulps of the output's dtype, inf where only one of the two is finite: of sums of products of what was fed.
  std::optional<double> ulp = {};
  /// In halves of what the output's elements may be off (verdict.md V21): of attention, whose exponentials are the
  /// CPU's in the replay and its own on the device.
  std::optional<double> share = {};
  std::optional<ir::Tensor> replayed = {};  ///< in f64 and not rounded, where `ulp` is not 0
};

/// The emulation of output k: `sums` is how the kernel adds, `fed` is by input of the segment, `allowed` the limits of
/// elements. The epilogue of a kernel is done in f32 on the emulator's sum, and rounded to the output's dtype in the
/// end; a norm that was folded into filters is folded. Nothing where there is not one product, convolution or attention
/// of values that were fed or only moved, where the kernel does not say in which order it adds, or where the profile
/// does not say all about its unit.
Emulation emulation_of(ir::Executor& reference, const DeviceProfile& profile, std::span<const ir::Sum> sums,
                       const core::Segment& segment, std::span<const ir::TensorView> fed, std::size_t k,
                       const ir::TensorView& got, const compare::Allowed* allowed = nullptr);

/// "3 products replayed with profile 6a0c...: at most 0 ulps away", and the patterns of outputs that differ from their
/// replay.
std::vector<std::string> emulation_notes(const DeviceProfile& profile, std::span<const cases::NodeResult> nodes);

/// The attributes of a profile in results files, by their names in docs/results.md: those of f16 products by matrix
/// units or, without, of the first unit it knows.
std::vector<std::pair<std::string, std::string>> profile_attributes(const DeviceProfile& profile);

}  // namespace plumb::parity::profile
