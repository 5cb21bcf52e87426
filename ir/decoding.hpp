// Decoding: the run of a prompt, then runs of one token each over the caches that it filled.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/residency.hpp"

namespace plumb::ir {

/// The two graphs of a decoder. Both have an input tokens i32 [B, s], of which s = 1 in `step`, write_at i32 [B], and
/// may have draw u32 []; all other inputs are caches, each with a result of its name and ".next". Further results are
/// logits [B, .., V] and tokens.next i32 [B, 1], the tokens that follow.
struct DecoderGraphs {
  const Graph& prefill;
  const Graph& step;
};

/// The results of a prompt and some steps.
struct Decoded {
  Tensor prompt_logits;                         ///< the prompt's own
  std::vector<Tensor> logits;                   ///< [B, 1, V] of each step
  std::vector<Tensor> tokens;                   ///< i32 [B, 1]: what the prompt's run drew, then each step
  Feeds caches;                                 ///< by the names of inputs, after the last step
  std::map<std::string, std::string> how = {};  ///< by input: how a step's result becomes the next step's input
  Traffic traffic = {};                         ///< bytes that the last step moved; none through the host
};

/// Tensors [B, rows, ..] one behind the other along the rows.
Tensor joined_rows(const std::vector<const Tensor*>& parts);

/// "4 of 4 caches in place; a step moved 4 bytes up and 388 down": how the caches of steps stayed where they are.
std::string how_text(const Decoded& decoded);

/// Runs the prompt, then so many steps, each on the token that the run before drew. Caches and tokens stay in the
/// executor's memory, and graphs share their params. `feeds` are all that the prompt's graph is fed. Throws Error where
/// the graphs are no decoder's, Unsupported where the executor has no contexts, and as its runs do.
Decoded decode(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds, std::int64_t steps);

/// Gives the same bits by way of the host, run by run, which any executor can (docs/spec/residency.md F). The executor,
/// the graphs and the feeds must outlive it. Throws as decode does, but for contexts.
class DecodingByHost {
 public:
  DecodingByHost(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds);

  /// The inputs of the next run: the prompt's, then a step's.
  const Feeds& inputs() const { return inputs_; }
  /// Makes the next run, and adds it to decoded().
  void run();
  /// All runs that were made; the caches are among inputs() until finish().
  const Decoded& decoded() const { return decoded_; }
  Decoded finish();

 private:
  Tensor take(const Graph& graph, Tensors results);

  Executor& executor_;
  DecoderGraphs graphs_;
  const Feeds& feeds_;
  std::vector<std::string> caches_;
  Feeds inputs_;
  Decoded decoded_ = {};
  std::unique_ptr<Executable> step_;  ///< once the prompt was run
};

/// So many steps of it.
Decoded decode_by_host(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds, std::int64_t steps);

}  // namespace plumb::ir
