#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.hpp"

namespace plumb::gpu_vulkan::device {

/// One shape of VK_KHR_cooperative_matrix at subgroup scope: an m x k times a k x n
/// tile, accumulated into c and r of the given types.
struct CooperativeShape {
  std::uint32_t m = 0, n = 0, k = 0;
  ir::DType a = ir::DType::f16, b = ir::DType::f16, c = ir::DType::f32, r = ir::DType::f32;
  bool operator==(const CooperativeShape&) const = default;
};

/// In order of preference.
enum class DeviceKind { discrete, integrated, virtualised, software, other };

constexpr auto enum_names(DeviceKind) {
  return std::array<std::string_view, 5>{"discrete", "integrated", "virtual", "software", "other"};
}

/// The properties of a device that planning may know: plain data, read from a driver or made up
/// by a test. Sizes are in bytes.
struct DeviceFacts {
  std::string name, driver_name, driver_info;
  std::uint32_t vendor_id = 0, device_id = 0, api_version = 0, driver_version = 0;
  std::array<std::uint8_t, 16> uuid{}, pipeline_cache_uuid{};
  DeviceKind kind = DeviceKind::other;

  std::uint64_t max_buffer_range = 0;      ///< maxStorageBufferRange
  std::uint64_t max_allocation = 0;        ///< for one buffer and its memory: maxBufferSize and maxMemoryAllocationSize
  std::uint64_t offset_alignment = 1;      ///< minStorageBufferOffsetAlignment
  std::uint64_t device_heap = 0;           ///< bytes of device-local memory
  bool host_visible_device_local = false;  ///< the host can map all device-local memory
  bool host_cached_device_local = false;   ///< and reads it fast
  std::uint64_t host_pointer_alignment = 0;  ///< for importing memory; 0: it imports none

  std::uint32_t shared_memory = 0;
  std::uint32_t max_invocations = 0;  ///< per workgroup
  std::array<std::uint32_t, 3> max_group_count{}, max_group_size{};
  std::uint32_t max_push_bytes = 128, max_push_descriptors = 0;
  std::uint32_t max_storage_buffers = 4;  ///< per kernel: maxPerStageDescriptorStorageBuffers
  std::uint32_t subgroup_size = 0, min_subgroup_size = 0, max_subgroup_size = 0;
  std::uint32_t max_group_subgroups = 0;  ///< per workgroup that asks for the size of its subgroups
  bool subgroup_arithmetic = false, subgroup_shuffle = false, subgroup_ballot = false, subgroup_size_control = false;

  bool storage16 = false, storage8 = false;  ///< 16- and 8-bit elements in storage buffers
  bool float16 = false, float64 = false, int8 = false, int16 = false, int64 = false;  ///< arithmetic in shaders
  bool integer_dot_product = false, bfloat16 = false;
  /// Can be asked for by execution mode.
  bool denormals_kept_f32 = false, denormals_kept_f16 = false, rounds_to_even_f16 = false;
  bool specials_kept_f32 = false;  ///< signed zeros, infinities and NaN
  bool vulkan_memory_model = false;

  bool timestamps = false;
  float timestamp_period = 0;  ///< nanoseconds a tick

  std::vector<CooperativeShape> cooperative_shapes;
  /// Matrices change their use, are reduced along rows and worked on by row and column (VK_NV_cooperative_matrix2).
  bool cooperative_conversions = false;

  /// Whether buffers of this dtype can be read and written by shaders, and
  /// numbers of it computed with (16-bit floats are computed in f32).
  bool holds(ir::DType dtype) const;
};

/// A device with the properties of nearly every desktop GPU, for looking at plans on a machine without one.
DeviceFacts usual_device();

}  // namespace plumb::gpu_vulkan::device
