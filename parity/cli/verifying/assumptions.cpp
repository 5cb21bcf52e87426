// Says what limits take for granted of somebody else's arithmetic (library.md A).
#include "parity/cli/verifying/assumptions.hpp"

#include "parity/core/terminal/shell_word.hpp"

namespace plumb::parity::cli {

std::string assumptions_of(const foreign::Candidate& candidate, std::string_view spec) {
  std::string line = "no profile of the candidate: limits are for sums in any order and for f16 products by any unit";
  const bool may_flush = !candidate.description().keeps_subnormals;
  if (may_flush) line += ", and allow 0 for subnormal numbers, as it does not say that it keeps them";
  if (!candidate.computes()) return line + "; what saved the dump can be probed where it is a candidate itself";
  return line + "; --profile auto measures it, once, as `plumb probe --candidate " +
         core::terminal::shell_word(std::string(spec)) + "` does";
}

}  // namespace plumb::parity::cli
