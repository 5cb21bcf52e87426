#include "tests/parity/mixed_graph.hpp"

#include <fmt/format.h>

#include <vector>

namespace plumb::testing {
namespace {

/// Collects params and nodes; labels are "<block>/<name>".
class Blocks {
 public:
  void softmax_block(int block) {
    begin(block);
    param("scale", "8");
    param("bias", "8");
    param("up.w", "8, 12");
    param("conv.w", "3, 3, 3, 3");
    param("down.w", "8, 12");
    node("norm", "layer_norm", {state_, own("scale"), own("bias")}, R"(, "epsilon": 1e-5)");
    node("up", "matmul", {state_, own("up.w")});
    node("act", "unary", {state_}, R"(, "function": "gelu")");
    node("image", "reshape", {state_}, R"(, "shape": [1, 3, 4, 6])");
    node("conv", "conv", {state_, own("conv.w")}, R"(, "pads": [1, 1, 1, 1])");
    node("rows", "reshape", {state_}, R"(, "shape": [6, 12])");
    node("weights", "softmax", {state_}, R"(, "axis": -1)");
    node("turned", "transpose", {state_}, R"(, "permutation": [1, 0])");
    node("down", "matmul", {own("down.w"), state_});
    node("out", "reshape", {state_}, R"(, "shape": [6, 8])");
  }

  void residual_block(int block) {
    begin(block);
    const std::string before = state_;
    param("scale", "8");
    param("up.w", "8, 12");
    param("gate", "12");
    param("conv.w", "3, 3, 3, 3");
    param("down.w", "12, 8");
    param("half", "8");
    node("norm", "rms_norm", {state_, own("scale")}, R"(, "epsilon": 1e-5)");
    node("up", "matmul", {state_, own("up.w")});
    node("gated", "binary", {state_, own("gate")}, R"(, "function": "multiply")");
    node("image", "reshape", {state_}, R"(, "shape": [1, 3, 4, 6])");
    node("conv", "conv", {state_, own("conv.w")}, R"(, "pads": [1, 1, 1, 1])");
    node("rows", "reshape", {state_}, R"(, "shape": [6, 12])");
    node("down", "matmul", {state_, own("down.w")});
    node("scaled", "binary", {state_, own("half")}, R"(, "function": "multiply")");
    node("sum", "binary", {before, state_}, R"(, "function": "add")");
    node("out", "unary", {state_}, R"(, "function": "tanh")");
  }

  std::string text() const {
    return fmt::format(R"({{"format": "plumb.graph/1", "inputs": {{"x": {{"type": "f32[6, 8]"}}}},
      "params": {{{}}}, "nodes": [{}], "results": ["{}"]}})",
                       params_, nodes_, state_);
  }

 private:
  void begin(int block) { block_ = block; }
  std::string own(const std::string& name) const { return fmt::format("{}/{}", block_, name); }
  void param(const std::string& name, const std::string& shape) {
    params_ += fmt::format(R"({}"{}": {{"type": "f32[{}]"}})", params_.empty() ? "" : ", ", own(name), shape);
  }
  void node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
            const std::string& attributes = "") {
    std::string list;
    for (const std::string& input : inputs) list += (list.empty() ? "\"" : ", \"") + input + '"';
    nodes_ += fmt::format(R"({}{{"label": "{}", "op": "{}", "inputs": [{}]{}}})", nodes_.empty() ? "" : ",\n",
                          own(name), op, list, attributes);
    state_ = own(name);
  }

  int block_ = 0;
  std::string params_, nodes_, state_ = "x";
};

}  // namespace

std::string mixed_graph() {
  Blocks blocks;
  for (int block = 0; block < 10; ++block)
    if (block % 2 == 0)
      blocks.softmax_block(block);
    else
      blocks.residual_block(block);
  return blocks.text();
}

}  // namespace plumb::testing
