// Recurrences with functions that the ops rnn, gru and lstm do not have, step by step in other ops.
#pragma once

#include "ir/formats/onnx/compose/named_function.hpp"
#include "ir/kernels/recurrent.hpp"

namespace plumb::ir::from_onnx {

enum class Cell { rnn, gru, lstm };

/// A node with layout 0, its operands shaped as ONNX has them.
struct Recurrence {
  Cell cell = Cell::rnn;
  kernels::RecurrentDirection direction = kernels::RecurrentDirection::forward;
  std::vector<NamedFunction> functions = {};  ///< f, g, h of the first direction, then of the second
  std::optional<double> clip = {};
  bool linear_before_reset = false, input_forget = false;
  Ref x = 0, w = 0, r = 0;
  std::optional<Ref> bias = {}, lengths = {}, h0 = {}, c0 = {}, peephole = {};
};

/// y [T, D, B, H], h_n and, of an lstm, c_n [D, B, H].
std::vector<Ref> in_steps(NodeReader& node, const Recurrence& recurrence);

}  // namespace plumb::ir::from_onnx
