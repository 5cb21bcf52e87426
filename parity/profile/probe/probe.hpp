// The probe of a device, through an executor's public interface alone.
#pragma once

#include <functional>

#include "parity/core/trial.hpp"
#include "parity/profile/device.hpp"
#include "parity/profile/probe/trees.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile::probe {

struct ProbeOptions {
  bool is_host = false;                   ///< the executor is meant to run on the CPU: that is no fallback
  std::vector<ProductPlace> places = {};  ///< products whose order of summation is looked for
  bool at_once = false;                   ///< asks for everything together, in few rounds, rather than op by op
  /// Told what is tried next, and how many of how many experiments are done.
  std::function<void(std::string_view, std::size_t, std::size_t)> step = [](std::string_view, std::size_t,
                                                                            std::size_t) {};
};

/// Finds the numeric fingerprint of the device behind an executor by experiment: graphs of one op, seen
/// through its public interface only. `reference` is the CPU executor, whose f64 is the truth of functions.
/// Ops that the executor cannot run are left out. Throws DeviceError as the executor does.
DeviceProfile probe(ir::Executor& executor, ir::Executor& reference, const Device& device, const ProbeOptions& options);

/// Likewise of what runs trials.
DeviceProfile probe(const core::RunTrials& run, ir::Executor& reference, const Device& device,
                    const ProbeOptions& options);

}  // namespace plumb::parity::profile::probe
