// Conversions around scans, whose states may have another dtype than their data.
#include "gpu_vulkan/kernels/scans/scan_slots.hpp"

#include "gpu_vulkan/kernels/elementwise/convert.hpp"

namespace plumb::gpu_vulkan::kernels::scans {
namespace {

std::size_t bytes_of(ir::DType dtype, std::int64_t elements) {
  return ir::info(dtype).bytes * static_cast<std::size_t>(std::max<std::int64_t>(1, elements));
}

}  // namespace

ScanSlots::ScanSlots(ir::DType computed, const ir::kernels::ScanStates& states, bool has_state, plan::Lowering& node)
    : node_(node), computed_(computed), data_(computed == ir::DType::f64 ? ir::DType::f64 : node.in_type(0).dtype) {
  node.needs_its_types();
  const std::size_t count = node.inputs() - (has_state ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) operands_.push_back(converted(i, data_));
  first_ = has_state ? converted(count, computed_) : operands_[0];
  for (std::size_t k = 0; k < node.outputs(); ++k) {
    const ir::TensorType& type = node.out_type(k);
    const ir::DType made = k == 0 ? data_ : computed_;
    results_.push_back(type.dtype == made ? node.out(k) : node.scratch(bytes_of(made, type.shape.elements())));
  }
  ir::require(results_.size() == (states.every > 0 ? 3u : 2u), "a scan with ", results_.size(), " results");
}

plan::Slot ScanSlots::converted(std::size_t operand, ir::DType to) {
  const ir::TensorType& type = node_.in_type(operand);
  const std::int64_t elements = type.shape.elements();
  if (type.dtype == to) return node_.in(operand);
  const plan::Slot made = node_.scratch(bytes_of(to, elements));
  if (elements > 0) elementwise::convert(type.dtype, node_.in(operand), to, made, elements, node_);
  return made;
}

void ScanSlots::finish() {
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const ir::TensorType& type = node_.out_type(k);
    if (results_[k] == node_.out(k) || type.shape.elements() == 0) continue;
    elementwise::convert(k == 0 ? data_ : computed_, results_[k], type.dtype, node_.out(k), type.shape.elements(),
                         node_);
  }
}

}  // namespace plumb::gpu_vulkan::kernels::scans
