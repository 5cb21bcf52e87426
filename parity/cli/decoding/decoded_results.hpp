#pragma once

// The results of a prompt and of the steps behind it, as `plumb run --decode` shows and saves them.

#include <string>

#include "ir/formats/tensor_files.hpp"
#include "parity/cases/case.hpp"

namespace plumb::parity::cli {

struct DecodedResults {
  /// logits [B, rows, V] of the prompt and behind them of each step, tokens.next [B, 1 + steps], what the prompt's run
  /// and each step drew, and the caches after the last step as `name.next`.
  ir::formats::NamedTensors named;
  std::string how;  ///< one line: where caches stayed, and what a step moved
};

/// Decodes a case on an executor: in its memory, or by way of the host where it has no contexts. Throws as decode does.
DecodedResults decode_case(ir::Executor& executor, const cases::Case& prompt, const ir::Graph& step,
                           std::int64_t steps);

}  // namespace plumb::parity::cli
