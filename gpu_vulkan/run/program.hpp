#pragma once

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/run/device_params.hpp"

namespace plumb::gpu_vulkan::run {

/// A graph that is compiled for a device: what its executable and all their contexts share. Nothing here changes.
struct Program {
  /// `held`: the params of `params` that lie apart in the plan. `graph` is the one that was compiled.
  Program(std::shared_ptr<runtime::Runtime> of, const device::VulkanOptions& by, const ir::Graph& graph,
          const ir::Feeds& params, passes::Fused whole, plan::Plan made, HeldSlots held);
  Program(const Program&) = delete;

  /// The bytes of a wanted value that no run makes, or nothing: of params and constants, also in another shape, and of
  /// empty tensors.
  std::optional<std::span<const std::byte>> known(ir::Value value) const;
  bool is_captured(ir::Value value) const;
  bool has_host_nodes() const;
  std::uint64_t identity() const;
  /// Throws Unsupported where something else than the memory of one of these params holds its value.
  void require_replaceable(const ir::ParamNames& params) const;
  /// Bytes of tensors that it keeps, on the device and on the host.
  std::uint64_t bytes() const;

  std::shared_ptr<runtime::Runtime> runtime;
  device::VulkanOptions options;
  ir::Graph original;
  passes::Fused fused;
  const ir::Graph& graph;  ///< the one that is planned, in `fused`
  plan::Plan plan;
  ir::Feeds host_params;        ///< those that nodes on the host read
  ir::Tensors captured_params;  ///< those that wanted values are, or are in another shape
  std::optional<Residents> residents;

 private:
  Residents::Contents contents(const ir::Feeds& params) const;
  std::optional<ir::Value> resident_source(ir::Value value) const;
};

/// The bytes that a constant node computes; null for any other value.
const ir::Bytes* constant_bytes(const ir::Graph& graph, ir::Value value);

}  // namespace plumb::gpu_vulkan::run
