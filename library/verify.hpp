#pragma once

// The verdict on whoever implements ir::Executor, ours or not: what `plumb verify` and `plumb check` do, as functions.

#include <string>
#include <vector>

#include "ir/tensor.hpp"
#include "library/model.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::library {

/// The feeds of a graph, how they are filled, and what is judged (docs/spec/verdict.md).
struct VerifyOptions {
  parity::verify::FillOptions fill = {};  ///< its reader is the model's
  parity::verify::VerifyOptions verify = {.plain = true};
  const parity::profile::DeviceProfile* profile = nullptr;  ///< how the candidate adds; null: as nobody knows
  int threads = 0;  ///< threads of the reference and of comparisons; 0: one for every core
};

/// Judges a candidate on a model, node by node. What the candidate does, or throws, is a verdict: nothing is thrown for
/// it. The observer is told on the calling thread, in the order of the graph.
parity::cases::CaseResult verify(const Model& model, ir::Executor& candidate, const VerifyOptions& options = {},
                                 parity::cases::Observer* observer = nullptr);

/// Likewise of several, each judged as if alone: inputs are made, and the truth is computed, once.
std::vector<parity::cases::CaseResult> verify_each(const Model& model, const std::vector<ir::Executor*>& candidates,
                                                   const VerifyOptions& options = {},
                                                   parity::cases::Observer* observer = nullptr);

/// As above, a graph on these inputs and params.
parity::cases::CaseResult verify(const ir::Graph& graph, const ir::Feeds& feeds, ir::Executor& candidate,
                                 const VerifyOptions& options = {}, parity::cases::Observer* observer = nullptr);

/// Sets a fill by its text: graph, exact, adversarial or adversarial:NAME (docs/fills.md). Throws Error, which calls it
/// by `flag`, for anything else.
void set_fill(const std::string& text, std::string_view flag, parity::verify::FillOptions& options);

struct CheckOptions {
  std::vector<ir::Sum> sums = {};              ///< how the op was summed, which replays test (docs/spec/library.md A)
  bool keeps_subnormals = false;               ///< a subnormal result may not have become 0
  const parity::policy::Gate* gate = nullptr;  ///< decides in place of the bound; null: the bound does
  const parity::profile::DeviceProfile* profile = nullptr;
  int threads = 0;
};

/// Judges given results of one op on given operands, which have all elements of their types. Results come in the dtypes
/// of the op's, or in wider ones: `got[k]` is its k-th output, and a missing one, or one of another type, is a verdict.
/// Throws Error where the op refuses the operands.
parity::cases::CaseResult check(const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                                const std::vector<ir::Tensor>& got, const CheckOptions& options = {});

/// The exit code of one case: 0 it passed, 1 it failed, and so on as docs/ci.md has them; `strict` as --strict is.
parity::core::Outcome outcome_of(const parity::cases::CaseResult& result, const parity::core::Demands& demands = {});

}  // namespace plumb::library
