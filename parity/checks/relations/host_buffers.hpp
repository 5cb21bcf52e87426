#pragma once

#include <map>

#include "ir/residency.hpp"

namespace plumb::parity::checks::relations {

/// Buffers of an executor, in the host's memory where the executor imports that. The host reads and writes such a
/// tensor where it is, and any other through its buffer.
class HostBuffers {
 public:
  explicit HostBuffers(ir::Executor& executor) : executor_(executor) {}

  /// The tensor is zeros.
  void make(ir::Value value, const ir::TensorType& type);
  const std::map<ir::Value, ir::Buffer>& buffers() const { return buffers_; }
  std::size_t size() const { return buffers_.size(); }
  /// How many are in the host's memory.
  std::size_t imported() const { return views_.size(); }

  /// No run may be under way.
  void write(ir::Value value, const ir::Tensor& tensor);
  ir::Tensor read(ir::Value value) const;

 private:
  ir::Executor& executor_;
  std::map<ir::Value, ir::Buffer> buffers_;
  std::map<ir::Value, ir::MutableView> views_;  ///< where it is imported
};

}  // namespace plumb::parity::checks::relations
