#pragma once

// A candidate that the calling program hands over: a function in this process, or tensors that it has already.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parity/foreign/candidate.hpp"

namespace plumb::parity::foreign {

/// A value that a function is asked for.
struct AskedValue {
  std::string name;  ///< in the model, where the graph is that of one, else in the graph
  ir::TensorType type;
  bool is_required = false;  ///< it fails where this is missing; the others are looked at if they are there
};

/// Tensors by names of values.
using AnsweredValues = std::vector<std::pair<std::string, ir::Tensor>>;

/// Computes a graph. It is handed copies of the inputs, which it may not change, and gives tensors by name: in the
/// dtype of the value, or in a wider one. It may throw Unsupported, CandidateError and DeviceError, as
/// foreign::Candidate says; whatever else it throws ends the verification.
using Callback = std::function<AnsweredValues(ir::Feeds& inputs, const std::vector<AskedValue>& asked)>;

inline constexpr std::string_view callback_kind = "callback";  ///< in descriptions

struct CallbackOptions {
  std::string name = "callback";  ///< in reports
  Taps taps = Taps::surviving;    ///< for runs that are looked into; results: it is never asked for others
  bool keeps_subnormals = false;  ///< it never gives 0 for a subnormal number
  Storage storage = Storage::graph;
  std::vector<ir::Sum> sums = {};  ///< how it says that it adds, of a graph of one node
  bool computes = true;            ///< false: it gives the same tensors whatever it is fed, and is called once
};

/// The candidate that computes a case's graph as a whole by calling the function on the calling thread.
std::unique_ptr<Candidate> candidate_of(Callback callback, CallbackOptions options = {});

}  // namespace plumb::parity::foreign
