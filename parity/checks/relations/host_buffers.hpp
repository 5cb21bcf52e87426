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
  /// How many are in the host's memory, and of how many: empty ones have none.
  std::size_t imported() const { return places_.size(); }
  std::size_t with_bytes() const;

  /// No run may be under way.
  void write(ir::Value value, const ir::Tensor& tensor);
  ir::Tensor read(ir::Value value) const;

 private:
  /// Imported memory, which lasts as long as this, whatever the executor does with it.
  struct Place {
    std::shared_ptr<std::byte> memory;
    ir::MutableView view;
  };

  ir::Executor& executor_;
  std::map<ir::Value, ir::Buffer> buffers_;
  std::map<ir::Value, Place> places_;
};

}  // namespace plumb::parity::checks::relations
