#pragma once

// Two dumps, judged by the graph that both say they are of, as `plumb verify` judges files.

#include <string>

#include "parity/cli/comparing/tensor_set.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/core/terminal/style.hpp"

namespace plumb::parity::cli {

struct JudgedDumps {
  TensorPlace a, b;
  std::string graph, names, policy, json;
  flags::GraphFlags fed;
  core::terminal::StyleFlags style;
  bool force = false;
};

/// Judges each value of both on its operands, as far as the dump has them, from what one of them says was fed. f64
/// values of a narrower graph are a truth, which is held to ours end to end where it is a file of its own. Says first
/// as which command of verify. Returns its exit code, and throws as it does.
int judge_dumps(const JudgedDumps& dumps);

}  // namespace plumb::parity::cli
