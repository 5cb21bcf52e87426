// Pipelines by shader and specialization constants, with layouts by number of bindings, and the cache kept on disk.
#include "gpu_vulkan/runtime/pipelines.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "gpu_vulkan/runtime/driver/float_modes.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

driver::ShaderModule make_module(const driver::Device& device, const plan::Shader& shader) {
  auto words = kernels::common::words_of(shader);
  std::vector<std::uint32_t> less;
  if (!device.facts().specials_kept_f32) words = less = driver::without_specials_kept(words);
  auto info = driver::structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  return driver::create<driver::ShaderModule>("vkCreateShaderModule", vkCreateShaderModule, device.get(), info, " for ",
                                              shader.name);
}

driver::PipelineCache make_cache(const driver::Device& device, std::span<const std::byte> data) {
  auto info = driver::structure<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  return driver::create<driver::PipelineCache>("vkCreatePipelineCache", vkCreatePipelineCache, device.get(), info);
}

}  // namespace

Pipelines::Pipelines(const driver::Device& device, std::string_view cache_folder)
    : device_(device), file_(cache_folder, device.facts()) {
  const auto data = file_.load();
  loaded_bytes_ = data.size();
  cache_ = make_cache(device, data);
}

const Pipelines::Layout& Pipelines::layout(std::uint32_t bindings) {
  const auto found = layouts_.find(bindings);
  if (found != layouts_.end()) return found->second;
  std::vector<VkDescriptorSetLayoutBinding> list;
  for (std::uint32_t b = 0; b < bindings; ++b)
    list.push_back({b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  auto set_info =
      driver::structure<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set_info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  set_info.bindingCount = bindings;
  set_info.pBindings = list.data();
  Layout made;
  made.set = driver::create<driver::SetLayout>("vkCreateDescriptorSetLayout", vkCreateDescriptorSetLayout,
                                               device_.get(), set_info);

  const VkDescriptorSetLayout set = made.set.get();
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
  auto info = driver::structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = info.pushConstantRangeCount = 1;
  info.pSetLayouts = &set;
  info.pPushConstantRanges = &push;
  made.pipeline =
      driver::create<driver::PipelineLayout>("vkCreatePipelineLayout", vkCreatePipelineLayout, device_.get(), info);
  return layouts_.emplace(bindings, std::move(made)).first->second;
}

driver::PipelineHandle Pipelines::make(const plan::Shader& shader, VkPipelineLayout layout) {
  const driver::ShaderModule module = make_module(device_, shader);
  const std::vector<std::uint32_t> values = shader.constants.values();
  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t c = 0; c < values.size(); ++c) entries.push_back({c, c * 4, 4});
  const VkSpecializationInfo constants{static_cast<std::uint32_t>(entries.size()), entries.data(), values.size() * 4,
                                       values.data()};
  auto subgroup = driver::structure<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  subgroup.requiredSubgroupSize = shader.subgroup_size;
  auto info = driver::structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = driver::structure<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  if (shader.subgroup_size != 0) {
    info.stage.pNext = &subgroup;
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &constants;
  info.layout = layout;
  VkPipeline raw = VK_NULL_HANDLE;
  driver::check(vkCreateComputePipelines(device_.get(), cache_.get(), 1, &info, nullptr, &raw),
                "vkCreateComputePipelines", " for ", shader.name);
  return {device_.get(), raw};
}

Pipeline Pipelines::get(const plan::Dispatch& dispatch) {
  const std::scoped_lock turn(turns_);
  const Layout& used = layout(static_cast<std::uint32_t>(dispatch.reads.size() + dispatch.writes.size()));
  auto found = pipelines_.find(dispatch.shader);
  if (found == pipelines_.end())
    found = pipelines_.emplace(dispatch.shader, make(dispatch.shader, used.pipeline.get())).first;
  return {found->second.get(), used.pipeline.get()};
}

void Pipelines::save() {
  const std::scoped_lock turn(turns_);
  if (!file_.enabled() || saved_ == pipelines_.size()) return;
  std::size_t size = 0;
  driver::check(vkGetPipelineCacheData(device_.get(), cache_.get(), &size, nullptr), "vkGetPipelineCacheData");
  std::vector<std::byte> data(size);
  const VkResult result = vkGetPipelineCacheData(device_.get(), cache_.get(), &size, data.data());
  if (result != VK_INCOMPLETE) driver::check(result, "vkGetPipelineCacheData");
  data.resize(size);
  file_.store(data);
  saved_ = pipelines_.size();
}

}  // namespace plumb::gpu_vulkan::runtime
