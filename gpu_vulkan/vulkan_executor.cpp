#include "gpu_vulkan/vulkan_executor.hpp"

#include <cstring>

#include "gpu_vulkan/lower.hpp"
#include "gpu_vulkan/runtime/device.hpp"
#include "gpu_vulkan/runtime/structure.hpp"
#include "gpu_vulkan/shader_blobs.hpp"
#include "ir/ops/constant.hpp"

namespace plumb::gpu_vulkan {
namespace {

struct Pipeline {
  SetLayout set_layout;
  PipelineLayout layout;
  PipelineHandle pipeline;
};

Pipeline make_pipeline(VkDevice device, const Dispatch& dispatch) {
  const auto blobs = shader_blobs();
  const auto blob = std::find_if(blobs.begin(), blobs.end(), [&](const auto& b) { return b.name == dispatch.shader.name; });
  ir::require(blob != blobs.end(), "no shader is called ", dispatch.shader.name);
  auto module_info = structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = blob->words.size_bytes();
  module_info.pCode = blob->words.data();
  VkShaderModule raw_module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device, &module_info, nullptr, &raw_module), "vkCreateShaderModule");
  const ShaderModule module(device, raw_module);

  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t b = 0; b < dispatch.reads.size() + dispatch.writes.size(); ++b)
    bindings.push_back({b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  auto set_info = structure<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set_info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  set_info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  set_info.pBindings = bindings.data();
  VkDescriptorSetLayout raw_set = VK_NULL_HANDLE;
  check(vkCreateDescriptorSetLayout(device, &set_info, nullptr, &raw_set), "vkCreateDescriptorSetLayout");
  SetLayout set_layout(device, raw_set);

  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
  auto layout_info = structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &raw_set;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push;
  VkPipelineLayout raw_layout = VK_NULL_HANDLE;
  check(vkCreatePipelineLayout(device, &layout_info, nullptr, &raw_layout), "vkCreatePipelineLayout");
  PipelineLayout layout(device, raw_layout);

  const auto& constants = dispatch.shader.constants;
  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t c = 0; c < constants.size(); ++c) entries.push_back({c, c * 4, 4});
  const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                            constants.size() * 4, constants.data()};
  auto subgroup = structure<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  subgroup.requiredSubgroupSize = dispatch.shader.subgroup_size;
  auto info = structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = structure<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  if (dispatch.shader.subgroup_size != 0) {
    info.stage.pNext = &subgroup;
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = raw_layout;
  VkPipeline raw = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &raw), "vkCreateComputePipelines");
  return {std::move(set_layout), std::move(layout), PipelineHandle(device, raw)};
}

/// A graph as recorded commands over one host-visible buffer.
class VulkanExecutable final : public ir::Executable {
 public:
  VulkanExecutable(const Device& device, const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture);
  ~VulkanExecutable() override {
    if (mapped_ != nullptr) vkUnmapMemory(device_.get(), memory_.get());
  }
  ir::Tensors run(const ir::Feeds& inputs) override;
  std::vector<ir::NodeReport> nodes() const override { return reports_; }

 private:
  void plan(const ir::Capture& capture);
  void allocate();
  void record();
  std::span<std::byte> bytes(Slot slot) { return {mapped_ + offsets_[slot], schedule_.slots[slot].bytes}; }

  const Device& device_;
  ir::Graph graph_;
  Schedule schedule_;
  std::vector<Slot> slots_;
  Slot faults_ = 0;
  std::vector<ir::Value> wanted_;
  std::vector<ir::NodeReport> reports_;
  std::vector<std::size_t> offsets_;
  Buffer buffer_;
  Memory memory_;
  std::byte* mapped_ = nullptr;
  std::map<Shader, Pipeline> pipelines_;
  CommandPool pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

VulkanExecutable::VulkanExecutable(const Device& device, const ir::Graph& graph, const ir::Feeds& params,
                                   const ir::Capture& capture)
    : device_(device), graph_(graph), slots_(graph.value_count(), 0), wanted_(capture.wanted) {
  ir::require_valid(graph_);
  plan(capture);
  allocate();
  for (ir::Value v = graph_.inputs().size(); graph_.is_source(v); ++v)
    std::ranges::copy(ir::fed(graph_, params, v).bytes(), bytes(slots_[v]).begin());
  for (Slot s = 0; s < schedule_.slots.size(); ++s) std::ranges::copy(schedule_.slots[s].content, bytes(s).begin());
  record();
}

void VulkanExecutable::plan(const ir::Capture& capture) {
  faults_ = schedule_.slot(sizeof(Fault));
  for (ir::Value v = 0; v < slots_.size(); ++v) {
    if (!graph_.defined(v)) continue;
    slots_[v] = schedule_.slot(graph_.type(v).bytes());
    if (capture.surviving) wanted_.push_back(v);
  }
  for (const ir::Node& node : graph_.nodes()) {
    ir::NodeReport report{ir::Placement::gpu, "", "", std::nullopt};
    const bool empty = std::ranges::all_of(node.outputs, [&](ir::Value v) { return graph_.type(v).shape.elements() == 0; });
    if (node.op.is<ir::ops::Constant>()) {
      const auto& data = node.op.as<ir::ops::Constant>().data;
      schedule_.slots[slots_[node.outputs[0]]].content = data;
      report.placement = ir::Placement::elided;
    } else if (!empty) {
      try {
        Lowering lowering(graph_, node, device_.facts(), slots_, faults_, schedule_);
        lower_op(node.op, lowering);
        report.kernel = lowering.choice().name;
        for (const auto& reason : lowering.choice().refusals) report.reason += (report.reason.empty() ? "" : "\n") + reason;
      } catch (const ir::Unsupported& reason) {
        throw ir::Unsupported(ir::cat("gpu_vulkan: node '", node.label, "' (", node.op.name(), "): ", reason.what()));
      }
    }
    reports_.push_back(std::move(report));
  }
}

void VulkanExecutable::allocate() {
  std::size_t size = 0;
  for (const auto& slot : schedule_.slots) {
    offsets_.push_back(size);
    size += (std::max<std::size_t>(slot.bytes, 4) + 255) / 256 * 256;
  }
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer raw = VK_NULL_HANDLE;
  check(vkCreateBuffer(device_.get(), &info, nullptr, &raw), "vkCreateBuffer", " for ", size, " bytes");
  buffer_ = Buffer(device_.get(), raw);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_.get(), raw, &needs);
  auto allocation = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = device_.memory_type(
      needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(vkAllocateMemory(device_.get(), &allocation, nullptr, &memory), "vkAllocateMemory", " for ", size, " bytes");
  memory_ = Memory(device_.get(), memory);
  check(vkBindBufferMemory(device_.get(), raw, memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  check(vkMapMemory(device_.get(), memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  mapped_ = static_cast<std::byte*>(mapped);
}

void VulkanExecutable::record() {
  auto pool_info = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool_info.queueFamilyIndex = device_.family();
  VkCommandPool pool = VK_NULL_HANDLE;
  check(vkCreateCommandPool(device_.get(), &pool_info, nullptr, &pool), "vkCreateCommandPool");
  pool_ = CommandPool(device_.get(), pool);
  auto allocate = structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocate.commandPool = pool;
  allocate.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(device_.get(), &allocate, &commands_), "vkAllocateCommandBuffers");
  auto begin = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  auto barrier = structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  for (const Dispatch& dispatch : schedule_.dispatches) {
    auto found = pipelines_.find(dispatch.shader);
    if (found == pipelines_.end())
      found = pipelines_.emplace(dispatch.shader, make_pipeline(device_.get(), dispatch)).first;
    std::vector<VkDescriptorBufferInfo> ranges;
    for (const auto* list : {&dispatch.reads, &dispatch.writes})
      for (const Slot slot : *list)
        ranges.push_back({buffer_.get(), offsets_[slot], (std::max<std::size_t>(schedule_.slots[slot].bytes, 4) + 3) / 4 * 4});
    std::vector<VkWriteDescriptorSet> writes;
    for (std::uint32_t b = 0; b < ranges.size(); ++b) {
      auto write = structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
      write.dstBinding = b;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &ranges[b];
      writes.push_back(write);
    }
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, found->second.pipeline.get());
    device_.push_descriptors()(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, found->second.layout.get(), 0,
                               static_cast<std::uint32_t>(writes.size()), writes.data());
    const auto push = dispatch.push.bytes();
    if (!push.empty())
      vkCmdPushConstants(commands_, found->second.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                         static_cast<std::uint32_t>(push.size()), push.data());
    vkCmdDispatch(commands_, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
    vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                         nullptr);
  }
  check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

ir::Tensors VulkanExecutable::run(const ir::Feeds& inputs) {
  for (ir::Value v = 0; v < graph_.inputs().size(); ++v)
    std::ranges::copy(ir::fed(graph_, inputs, v).bytes(), bytes(slots_[v]).begin());
  std::ranges::fill(bytes(faults_), std::byte{0});
  auto submit = structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  check(vkQueueSubmit(device_.queue(), 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(device_.queue()), "vkQueueWaitIdle");
  Fault fault;
  std::memcpy(&fault, bytes(faults_).data(), sizeof fault);
  if (fault.raised != 0) {
    const ir::Node& node = graph_.nodes().at(fault.node);
    ir::fail("node '", node.label, "' (", node.op.name(), "): index ", fault.value(), " at position ",
             fault.position, " is out of range");
  }
  ir::Tensors results;
  for (const ir::Value v : wanted_) {
    ir::Tensor tensor(graph_.type(v));
    std::memcpy(tensor.bytes().data(), mapped_ + offsets_[slots_[v]], tensor.bytes().size());
    results.emplace(v, std::move(tensor));
  }
  return results;
}

}  // namespace

struct VulkanExecutor::Runtime {
  Device device;
};

VulkanExecutor::VulkanExecutor(VulkanOptions options) : runtime_(new Runtime{Device(options.validation)}) {}
VulkanExecutor::~VulkanExecutor() = default;
bool VulkanExecutor::has_kernel(const ir::OpSchema& schema) const {
  return schema.name == ir::ops::Constant::name || gpu_vulkan::has_kernel(schema);
}
const DeviceFacts& VulkanExecutor::facts() const { return runtime_->device.facts(); }

std::unique_ptr<ir::Executable> VulkanExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                        const ir::Capture& capture) {
  return std::make_unique<VulkanExecutable>(runtime_->device, graph, params, capture);
}

}  // namespace plumb::gpu_vulkan
