// How many nodes of an exact twin are proved, and why others are not, in one line.
#include "parity/core/exactness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace plumb::parity::core {

std::string to_text(std::span<const Proof> proofs) {
  std::map<std::string, std::size_t> others;
  for (const Proof& proof : proofs)
    if (proof.exact != Exactness::proved) ++others[proof.why];
  const auto proved = std::ranges::count(proofs, Exactness::proved, &Proof::exact);
  std::string text = fmt::format("exact twin: {} of {} nodes are proved", proved, proofs.size());
  for (const auto& [why, count] : others) text += fmt::format("; {} {} not: {}", count, count == 1 ? "is" : "are", why);
  return text;
}

}  // namespace plumb::parity::core
