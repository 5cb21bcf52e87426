#pragma once

// Nodes of a run that are judged, kept one by one, so that a run that is cut off is gone on with inside.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parity/cases/identity.hpp"
#include "parity/cases/node_result.hpp"

namespace plumb::parity::cases {

/// How one output of a node was judged, without where it comes from, which the next run knows as well.
struct KeptOutput {
  Measured measured = {};
  Checked checked = {};
  Judged judged = {};
  std::optional<double> error = {};  ///< relative to the truth of the whole graph, as the nodes behind it are told
  bool is_clean = false;             ///< it is that truth, widened
};

/// Eight bytes of the truth of an output by the whole graph: a number of 64 bits, or half a complex one.
struct TruthWord {
  std::size_t output = 0, word = 0;
  std::uint64_t bits = 0;
};

/// The judgement of one node, and all that the case has to know of it to go on behind it.
struct KeptNode {
  std::uint64_t key = 0;    ///< hash of its operands, its outputs, and what else the judgement hangs on
  std::uint64_t truth = 0;  ///< hash of the truths of its outputs by the whole graph
  std::vector<TruthWord> truer = {};  ///< words of those truths that were computed again for judging it
  std::vector<KeptOutput> outputs = {};
  std::vector<std::string> notes = {};           ///< that it added to those of the case
  std::vector<NonFiniteOrigin> non_finite = {};  ///< likewise
};

/// Keeps the nodes of one run after the other, and has those that an earlier start of the program kept.
class KeptNodes {
 public:
  virtual ~KeptNodes() = default;

  /// A run of that name, judged by a policy of that text, begins: the nodes that follow are its. What an earlier start
  /// kept of it, by node.
  virtual std::map<std::size_t, KeptNode> begin(const Identity& identity, const std::string& policy) = 0;

  /// Node `n` of the graph was judged. Throws files::NoRoom where that cannot be written.
  virtual void keep(std::size_t n, const KeptNode& node) = 0;
};

}  // namespace plumb::parity::cases
