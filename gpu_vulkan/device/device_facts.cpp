// Which dtypes shaders of a device hold, and the facts of a usual device, to plan by where there is none.
#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::device {

bool DeviceFacts::holds(ir::DType dtype) const {
  switch (dtype) {
    case ir::DType::boolean:
    case ir::DType::u8:
    case ir::DType::i8:
      return storage8;
    case ir::DType::u16:
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

DeviceFacts usual_device() {
  DeviceFacts facts;
  facts.name = "a usual device";
  facts.api_version = (1u << 22) | (3u << 12);  // 1.3
  facts.max_buffer_range = facts.max_allocation = std::uint64_t{4} << 30;
  facts.offset_alignment = 16;
  facts.shared_memory = 32 << 10;
  facts.max_invocations = 1024;
  facts.max_group_count = {65535, 65535, 65535};
  facts.max_group_size = {1024, 1024, 64};
  facts.max_push_descriptors = facts.max_storage_buffers = 32;
  facts.subgroup_size = facts.min_subgroup_size = facts.max_subgroup_size = facts.max_group_subgroups = 32;
  facts.specials_kept_f32 = true;
  facts.storage8 = facts.storage16 = facts.float16 = facts.int8 = facts.int16 = facts.int64 = true;
  return facts;
}

}  // namespace plumb::gpu_vulkan::device
