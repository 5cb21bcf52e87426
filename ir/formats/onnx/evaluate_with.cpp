// Evaluates ops on an executor for the ONNX reader, which folds what follows from the file alone.
#include "ir/formats/onnx/onnx_file.hpp"

namespace plumb::ir::formats {

Evaluate evaluate_with(Executor& executor) {
  return [&executor](const Op& op, std::span<const Tensor> operands) {
    return run_op(executor, op, {operands.begin(), operands.end()});
  };
}

}  // namespace plumb::ir::formats
