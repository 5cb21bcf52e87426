#pragma once

#include <string>

#include "parity/cases/node_result.hpp"
#include "parity/policy/policy_gate.hpp"

namespace plumb::parity::verify {

/// All that the verdict on an output depends on.
struct Facts {
  const cases::NodeResult& result;        ///< measured and checked
  const policy::Judgement& gate;          ///< the answer of the limits, those of arithmetic or of a policy
  std::string refuted = {};               ///< why the file's own statement of the value contradicts it, if it does
  bool is_refused_by_statistics = false;  ///< errors that are allowed one by one are not together
  bool is_whole = false;                  ///< it was computed otherwise where nobody looks (verdict.md V4)
  bool is_unstable = false;               ///< another run on the same inputs gave other bits
  std::string unstable_operand = {};      ///< an operand of which that is true as well; "" where there is none
  bool is_fallback = false;               ///< the host computed it for a device
  bool is_foreign = false;                ///< the candidate is somebody else's
  bool is_given = false;                  ///< the node is a constant
  bool moves_zeros = false;               ///< it says nothing, since it only moves zeros of an input
};

struct Decision {
  core::Verdict verdict = core::Verdict::skipped;
  std::string why = {};  ///< never empty unless passed
};

/// The verdict on an output: numbers come first, then what would make them worthless.
Decision decide(const Facts& facts);

}  // namespace plumb::parity::verify
