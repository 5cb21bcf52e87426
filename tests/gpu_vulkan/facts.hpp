#pragma once

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::testing {

/// Facts of devices that are not here, for tests of what is decided without a device.
inline device::DeviceFacts any_device() {
  device::DeviceFacts facts;
  facts.api_version = (1u << 22) | (3u << 12);  // 1.3
  facts.max_buffer_range = std::uint64_t{1} << 32;
  facts.max_allocation = std::uint64_t{1} << 32;
  facts.offset_alignment = 16;
  facts.device_heap = std::uint64_t{8} << 30;
  facts.shared_memory = 32 << 10;
  facts.max_invocations = 1024;
  facts.max_group_count = {65535, 65535, 65535};
  facts.max_group_size = {1024, 1024, 64};
  facts.max_push_descriptors = facts.max_storage_buffers = 32;
  facts.subgroup_size = facts.min_subgroup_size = facts.max_subgroup_size = 32;
  facts.max_group_subgroups = 32;
  facts.subgroup_arithmetic = facts.subgroup_shuffle = facts.subgroup_ballot = facts.subgroup_size_control = true;
  facts.storage16 = facts.storage8 = facts.specials_kept_f32 = true;
  facts.float16 = facts.float64 = facts.int8 = facts.int16 = facts.int64 = true;
  facts.integer_dot_product = facts.rounds_to_even_f16 = facts.vulkan_memory_model = true;
  facts.timestamps = true;
  facts.timestamp_period = 1;
  return facts;
}

inline device::CooperativeShape f16_shape(std::uint32_t m, std::uint32_t n, std::uint32_t k, ir::DType accumulator) {
  return {m, n, k, ir::DType::f16, ir::DType::f16, accumulator, accumulator};
}

inline device::DeviceFacts h200() {
  device::DeviceFacts facts = any_device();
  facts.name = "NVIDIA H200";
  facts.kind = device::DeviceKind::discrete;
  facts.api_version = (1u << 22) | (4u << 12) | 312;
  facts.max_buffer_range = 0xFFFFFFFF;
  facts.max_allocation = 0xFFE00000;
  facts.device_heap = std::uint64_t{141} << 30;
  facts.host_visible_device_local = true;
  facts.shared_memory = 48 << 10;
  facts.max_group_count = {0x7FFFFFFF, 65535, 65535};
  facts.max_push_bytes = 256;
  facts.bfloat16 = facts.cooperative_conversions = true;
  for (const auto& [m, n, k] : {std::array{16u, 16u, 16u}, std::array{16u, 8u, 16u}, std::array{16u, 8u, 8u}})
    for (const auto accumulator : {ir::DType::f16, ir::DType::f32})
      facts.cooperative_shapes.push_back(f16_shape(m, n, k, accumulator));
  facts.cooperative_shapes.push_back({16, 16, 16, ir::DType::bf16, ir::DType::bf16, ir::DType::f32, ir::DType::f32});
  return facts;
}

inline device::DeviceFacts rdna3() {
  device::DeviceFacts facts = any_device();
  facts.name = "AMD Radeon RX 7900 XTX (RADV NAVI31)";
  facts.kind = device::DeviceKind::discrete;
  facts.device_heap = std::uint64_t{24} << 30;
  facts.shared_memory = 64 << 10;
  facts.subgroup_size = facts.max_subgroup_size = 64;
  facts.min_subgroup_size = 32;
  facts.timestamp_period = 10;
  facts.cooperative_shapes = {f16_shape(16, 16, 16, ir::DType::f32), f16_shape(16, 16, 16, ir::DType::f16)};
  return facts;
}

/// Small limits, no 8-bit storage, no 64-bit numbers, a subgroup size that nobody may choose.
inline device::DeviceFacts phone() {
  device::DeviceFacts facts = any_device();
  facts.name = "phone";
  facts.kind = device::DeviceKind::integrated;
  facts.max_buffer_range = std::uint64_t{1} << 27;
  facts.max_allocation = std::uint64_t{1} << 30;
  facts.offset_alignment = 64;
  facts.host_visible_device_local = facts.host_cached_device_local = true;
  facts.max_invocations = 256;
  facts.max_group_size = {256, 256, 64};
  facts.subgroup_size = facts.min_subgroup_size = facts.max_subgroup_size = 16;
  facts.subgroup_size_control = facts.storage8 = facts.float64 = facts.int64 = facts.int8 = false;
  return facts;
}

inline device::DeviceFacts lavapipe() {
  device::DeviceFacts facts = any_device();
  facts.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  facts.kind = device::DeviceKind::software;
  facts.max_buffer_range = std::uint64_t{1} << 27;
  facts.max_allocation = std::uint64_t{1} << 31;
  facts.device_heap = std::uint64_t{1} << 31;
  facts.host_visible_device_local = facts.host_cached_device_local = true;
  facts.subgroup_size = facts.min_subgroup_size = facts.max_subgroup_size = 8;
  return facts;
}

}  // namespace plumb::gpu_vulkan::testing
