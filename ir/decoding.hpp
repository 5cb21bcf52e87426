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

/// Runs the prompt, then so many steps, each on the token that the run before drew. Caches and tokens stay in the
/// executor's memory, and graphs share their params. `feeds` are all that the prompt's graph is fed. Throws Error where
/// the graphs are no decoder's, Unsupported where the executor has no contexts, and as its runs do.
Decoded decode(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds, std::int64_t steps);

/// Gives the same bits by way of the host, which any executor can (docs/spec/residency.md F).
Decoded decode_through_host(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds, std::int64_t steps);

/// Inputs of a step beside params, tokens and caches: write_at behind the tokens that the caches have, and the number
/// of its draw. `step` counts from 1; `feeds` are those of the prompt, which has `prompt_tokens` a row.
Feeds inputs_of_step(const Feeds& feeds, std::int64_t prompt_tokens, std::int64_t step);

/// The inputs of a graph that it returns again as `name.next`, each with that result.
std::vector<std::pair<Value, Value>> carried_inputs(const Graph& graph);

}  // namespace plumb::ir
