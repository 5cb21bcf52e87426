// Executables of one model for several extents, of which few are kept. docs/spec/residency.md C.
#pragma once

#include "ir/residency.hpp"

namespace plumb::ir {

/// Extents by the symbol that stands for them: {"seq", 77}.
using Extents = std::map<std::string, std::int64_t, std::less<>>;

struct BucketOptions {
  /// By symbol, the extents that graphs are made for. A symbol without any is taken exactly.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> sizes = {};
  /// Bounds of what is kept: executables, and their Executable::bytes. Those in use count, and are kept in any case.
  std::size_t most = 8;
  std::optional<std::uint64_t> most_bytes = {};
};

/// An executable for extents that are no smaller than those that were asked for.
struct Bucket {
  Extents extents;                     ///< rounded up
  std::shared_ptr<const Graph> graph;  ///< was made for them; the executable's values are those of this graph
  std::shared_ptr<Executable> executable;
};

/// A tensor of this type that has `x` at the beginning of every axis, and zeros elsewhere. Throws Error where x is no
/// part of one.
Tensor padded(const TensorView& x, const TensorType& type);

/// The part of this shape at the beginning of every axis. Throws Error where x has no such part.
Tensor leading_part(const TensorView& x, const Shape& shape);

/// Keeps executables by their extents, each of which is rounded up to the next of its symbol's sizes. The caller pads
/// inputs, and masks what is padded: the results are those of the larger graph. One thread at a time; a second one that
/// comes meanwhile gets an Error.
class Buckets {
 public:
  using MakeGraph = std::function<Graph(const Extents&)>;
  /// Each graph has values of its own, so that what is wanted of one is found in it, by Graph::find say.
  using OptionsOf = std::function<CompileOptions(const Graph&)>;

  /// `make` is called with rounded extents. The params are of Executor::hold; graphs that have none take hold({}).
  /// Without `options_of` the results of each graph are wanted. The executor must outlive this, and offer contexts.
  Buckets(Executor& executor, MakeGraph make, std::shared_ptr<Params> params, OptionsOf options_of = {},
          BucketOptions options = {});

  /// The executable for these extents: one that is kept, or a new one, which is compiled before others go. Then those
  /// used least recently go while there are more than the options allow, but none in use: somebody has the executable,
  /// a context of it or a fence. What is returned is in use. Throws Error for an extent above its symbol's largest
  /// size, and what making the graph and compiling it throw; then it has changed nothing.
  Bucket at(const Extents& extents);

 private:
  struct Kept {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<Executable> executable;
    std::uint64_t bytes = 0;  ///< counted where they are bounded
    std::uint64_t used = 0;   ///< number of the last call that returned it
  };

  Extents round_up(const Extents& extents) const;
  Kept compile(const Extents& rounded) const;
  bool is_too_much() const;
  void drop_unused();

  Executor& executor_;
  MakeGraph make_;
  std::shared_ptr<Params> params_;
  OptionsOf options_of_;
  BucketOptions options_;
  std::map<Extents, Kept> kept_;  ///< by rounded extents
  std::uint64_t calls_ = 0;
  OneAtATime one_at_a_time_;
};

}  // namespace plumb::ir
