#include "gpu_vulkan/device_facts.hpp"

namespace plumb::gpu_vulkan {

bool DeviceFacts::holds(ir::DType dtype) const {
  switch (dtype) {
    case ir::DType::boolean:
    case ir::DType::u8:
    case ir::DType::i8:
      return storage8;
    case ir::DType::i16:
    case ir::DType::f16:
    case ir::DType::bf16:
      return storage16;
    case ir::DType::i64:
      return int64;
    case ir::DType::f64:
    case ir::DType::c128:
      return float64;
    default:
      return true;
  }
}

}  // namespace plumb::gpu_vulkan
