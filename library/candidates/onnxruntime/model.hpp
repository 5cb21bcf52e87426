// Models that ONNX Runtime has compiled, and their runs.
#pragma once

#include <string>
#include <vector>

#include "library/candidates/onnxruntime/api.hpp"
#include "library/candidates/onnxruntime/options.hpp"
#include "library/plumbline_candidate.h"

namespace plumb::library::candidates::onnxruntime {

/// The values that a model is compiled with as outputs.
enum class Taps {
  results,
  surviving,  ///< those that are still there once the model is optimised; what is optimised is then run as it is
  all         ///< all values of the file's main graph, before it is optimised
};

/// A session with the names that it takes and gives.
class Model {
 public:
  /// Compiles the file `onnx`; `folder` is for a file that lives until this returns. Throws Error.
  Model(const Api& api, const Env* env, const Options& options, const std::string& onnx, const std::string& folder,
        Taps taps);

  /// Runs it on those of the tensors that it takes as inputs, and hands to the sink what that wants. Values that are no
  /// tensors, or of a dtype that plumb does not have, are passed over. Throws Error.
  void run(const plumb_candidate_tensor* inputs, std::size_t count, const plumb_candidate_sink& sink) const;

 private:
  Owned<SessionOptions> session_options(int level, const std::string& onnx) const;
  Owned<Session> watched(const Env* env, int level, const std::string& onnx, std::string_view source,
                         std::string_view file) const;
  std::vector<std::string> session_names(bool are_outputs) const;
  void hand_over(const std::string& name, Value* value, const plumb_candidate_sink& sink) const;

  const Api& api_;
  const int threads_;
  Owned<Session> session_;
  std::vector<std::string> inputs_, outputs_;
};

}  // namespace plumb::library::candidates::onnxruntime
