#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/core/exactness.hpp"

namespace plumb::parity::cases {

/// How close results must come to what somebody else's evaluation of the graph gave:
/// |got - expected| <= absolute + relative |expected|.
struct Closeness {
  double relative = 1e-3, absolute = 1e-7;
};

/// The tensors that another implementation gave for a graph.
struct Expectation {
  std::map<std::string, ir::Tensor, std::less<>> tensors;  ///< by value of the graph, in the dtypes they came in
  /// Its own graph and feeds, where the case computes in other dtypes than the file's.
  std::optional<ir::Graph> graph = {};
  std::optional<ir::Feeds> feeds = {};
};

/// A graph in the dtypes that it was written in, and what it is fed in these.
struct Written {
  ir::Graph graph;
  ir::Feeds feeds;
};

/// Sources of a case that neither its graph nor its seed tells.
struct Origin {
  std::optional<std::uint64_t> param_seed = {};   ///< where generated params have a seed of their own
  std::vector<std::string> shapes = {};           ///< "batch=8", as a model was given them
  bool has_given = false;                         ///< inputs were given, in place of those that the file describes
  bool is_of_file = false;                        ///< it was read from the file that the case is called by
  std::set<std::string, std::less<>> given = {};  ///< inputs and params that have other numbers than the file says
  std::string tensors = {};                       ///< sha256 of all tensors that were read; "" where there are none
  std::optional<std::string> plan = {};           ///< the text of the precision plan, where there is one
};

/// One graph and everything it is fed.
struct Case {
  std::string name = {};  ///< the file's path, as given
  std::shared_ptr<const ir::formats::GraphFile> file = {};
  ir::Feeds feeds = {};
  std::uint64_t seed = 1;
  std::int64_t step = 0;  ///< a decoder's: how many tokens behind its prompt the one is that is run; 0: the prompt is
  std::optional<ir::DType> dtype = {};  ///< the dtype in place of f32; then the file's expectations do not apply
  /// Where f32 was replaced: graph and feeds before that, against which totals are measured. Values have the same
  /// numbers in both graphs. Null for a case whose numbers were made in the dtypes that it runs in.
  std::shared_ptr<const Written> as_written = {};
  std::optional<Closeness> expected_within =
      {};  ///< for the device, where the file's expectations are somebody else's evaluation, not the truth
  /// Another implementation's results, to be held to how far its roundings may have moved them (verdict.md V44).
  std::shared_ptr<const Expectation> expectation = {};
  std::string precision = {};  ///< FillOptions::precision
  core::FillKind fill = core::FillKind::graph;
  std::optional<ir::AdversarialKind> adversarial = {};  ///< which numbers, where that is what it was filled with
  std::vector<core::Proof> proofs = {};  ///< by node, of an exact twin; nodes that are proved must give the very bits
  Origin origin = {};

  std::uint64_t param_seed() const { return origin.param_seed.value_or(seed); }
};

/// The case without what it is fed, as results keep it.
Case without_numbers(const Case& subject);

}  // namespace plumb::parity::cases
