#pragma once

// A graph that grows at both ends.

#include <optional>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/studies/fuzz/draw_op.hpp"

namespace plumb::parity::studies::fuzz {

class Draft {
 public:
  /// Adds a node on new sources, some of which are params.
  void begin(const DrawnOp& drawn, Chooser& choose);
  /// Adds a node that reads a value which is there or, if it is a source, gives it, by an op drawn for it: one of those
  /// that the graph has least of. Whether one was found.
  bool grow(Chooser& choose);

  std::size_t nodes() const { return nodes_.size(); }

  /// Its file. All values that nobody reads are results.
  ir::formats::GraphFile file() const;

 private:
  struct Value {
    ir::TensorType type;
    bool takes_any = true, is_made = false, is_param = false;
  };
  struct Node {
    ir::Op op;
    std::vector<std::size_t> in, out;
  };

  std::size_t add_value(const ir::TensorType& type, bool takes_any, bool is_made);
  std::optional<std::size_t> like(const ir::TensorType& type, Chooser& choose) const;
  const ir::OpSchema& rare_op(Chooser& choose) const;
  std::vector<std::size_t> operands(const DrawnOp& drawn, std::optional<std::size_t> given, std::size_t value,
                                    Chooser& choose);
  void add_behind(const DrawnOp& drawn, std::optional<std::size_t> given, std::size_t value, Chooser& choose);
  void add_in_front(const DrawnOp& drawn, std::size_t value, Chooser& choose);

  std::vector<Value> values_;
  std::vector<Node> nodes_;  ///< in an order in which they can be computed
};

}  // namespace plumb::parity::studies::fuzz
