#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "parity/core/trial.hpp"

namespace plumb::parity::profile::probe {

/// A part of a probe that asks in rounds, since what it asks depends on what came of what it asked before. Rounds of
/// several inquiries can be run together, for which a candidate may have to be started only once.
class Inquiry {
 public:
  virtual ~Inquiry() = default;
  /// The trials of the next round; none when it is over.
  virtual std::vector<core::Trial> ask() = 0;
  /// Takes note of how they ended, in their order.
  virtual void hear(std::vector<core::TrialEnd> ends) = 0;
};

/// An inquiry that finds one thing; nothing where the executor cannot run the trials, or only on the host in place of
/// the device.
template <class Found>
class Finding : public Inquiry {
 public:
  virtual std::optional<Found> found() const = 0;
};

/// Runs inquiries to their ends, round by round, all of a round together.
void settle(std::span<Inquiry* const> inquiries, const core::RunTrials& run);

/// The finding of one that is settled alone.
template <class Found>
std::optional<Found> settled(Finding<Found>& inquiry, const core::RunTrials& run) {
  Inquiry* const alone[] = {&inquiry};
  settle(alone, run);
  return inquiry.found();
}

}  // namespace plumb::parity::profile::probe
