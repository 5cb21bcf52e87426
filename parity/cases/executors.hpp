// Reference and candidate of a comparison, and what is known of the candidate's arithmetic.
#pragma once

#include <string>

#include "ir/executor.hpp"

namespace plumb::parity::profile {
struct DeviceProfile;
}
namespace plumb::parity::foreign {
class Candidate;
}

namespace plumb::parity::cases {

/// Who is compared with whom.
struct Executors {
  ir::Executor& reference;                ///< the CPU executor: truth on widened graphs, honest evaluation as it is
  ir::Executor* candidate = nullptr;      ///< nothing when there is no device
  std::string why_not = {};               ///< then why
  foreign::Candidate* foreign = nullptr;  ///< the candidate, where it is somebody else's
  bool candidate_is_host = false;         ///< it is meant to run on the CPU: that is no fallback
  bool computes_in_memory = false;        ///< it is a software device: its memory is this process's
  bool flushes_subnormals = false;        ///< the candidate may give 0 for f32 and f64 subnormals
  const profile::DeviceProfile* profile = nullptr;  ///< how the candidate sums products; the safe scale without
};

}  // namespace plumb::parity::cases
