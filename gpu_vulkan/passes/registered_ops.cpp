// Replaces registered ops by what a device can run: their authors' shaders, or the nodes of their bodies.
#include <algorithm>

#include "gpu_vulkan/fused_ops/own_kernel.hpp"
#include "gpu_vulkan/passes/passes.hpp"
#include "ir/passes/inline_bodies.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

/// Requires of SPIR-V that it binds nothing but the buffers that there are: a driver may do anything with others.
void require_bindings(std::span<const std::uint32_t> words, std::size_t buffers) {
  constexpr std::uint32_t magic = 0x07230203, decorate = 71, binding = 33, descriptor_set = 34;
  ir::require(words.size() > 5 && words[0] == magic, "is no SPIR-V");
  for (std::size_t at = 5; at < words.size();) {
    const std::uint32_t length = words[at] >> 16;
    ir::require(length > 0 && at + length <= words.size(), "is no SPIR-V: an instruction ends behind it");
    if ((words[at] & 0xffff) == decorate && length == 4) {
      const std::uint32_t kind = words[at + 2], value = words[at + 3];
      ir::require(kind != binding || value < buffers, "has a binding ", value, ", and there are ", buffers,
                  ": operands, then results");
      ir::require(kind != descriptor_set || value == 0, "has a descriptor set ", value, ", and there is set 0");
    }
    at += length;
  }
}

region::CompiledShader shader_of(const ir::DeclaredOp& op, const ir::GpuKernel& kernel, std::size_t buffers,
                                 const region::RegionSetting& setting) {
  region::CompiledShader made;
  if (!kernel.glsl.empty()) {
    made = region::RegionCompiler(setting.cache_folder).compile(kernel.glsl);
  } else {
    const auto bytes = std::as_bytes(std::span(kernel.spirv));
    made = {ir::cat(op.name, '.', ir::raw::hash_bytes(bytes, 0)),
            std::make_shared<const std::vector<std::uint32_t>>(kernel.spirv)};
  }
  require_bindings(*made.words, buffers);
  return made;
}

/// The node by its author's shader; nothing where he has none for these types.
std::optional<fused_ops::OwnKernel> own_kernel(const ir::Graph& graph, const ir::Node& node,
                                               const region::RegionSetting& setting) {
  const ir::DeclaredOp* const op = ir::registered(node.op);
  if (op == nullptr || !op->code.gpu) return std::nullopt;
  ir::TensorTypes in, out;
  for (const ir::Value v : node.inputs) in.push_back(graph.type(v));
  for (const ir::Value v : node.outputs) out.push_back(graph.type(v));
  if (std::ranges::all_of(out, [](const ir::TensorType& type) { return type.bytes() == 0; })) return std::nullopt;
  fused_ops::OwnKernel made{.op = node.op.as<ir::RegisteredOp>(), .kernel = ""};
  try {
    const ir::GpuKernel kernel = [&] {
      const std::scoped_lock held(*op->one_call);
      return op->code.gpu(made.op, in, out);
    }();
    ir::require(kernel.push.size() <= made.push.size(), "gives ", kernel.push.size(), " words of push constants, and ",
                made.push.size(), " are the most");
    ir::require(std::ranges::all_of(kernel.groups, [](auto count) { return count > 0; }), "gives no workgroups");
    region::CompiledShader shader = shader_of(*op, kernel, in.size() + out.size(), setting);
    made.kernel = std::move(shader.name);
    made.words = std::move(shader.words);
    made.groups = kernel.groups;
    std::ranges::copy(kernel.push, made.push.begin());
  } catch (const ir::Unsupported&) {
    return std::nullopt;
  } catch (const ir::Error& error) {
    ir::fail("node '", node.label, "' (", op->name, "): gpu ", error.what());
  }
  return made;
}

}  // namespace

ir::Graph write_out(const ir::Graph& graph, const region::RegionSetting& setting) {
  const auto is_registered = [](const ir::Node& node) { return ir::registered(node.op) != nullptr; };
  if (std::ranges::none_of(graph.nodes(), is_registered)) return graph;
  ir::Graph next = graph.sources();
  for (const ir::Node& node : graph.nodes()) {
    const auto own = own_kernel(graph, node, setting);
    next.place(node.label, own ? ir::Op(*own) : node.op, node.inputs, node.outputs);
  }
  for (const ir::Value v : graph.results()) next.returns(v);
  if (!ir::passes::has_bodies(next)) return next;
  return write_out(ir::passes::inline_bodies(next), setting);  // a body may have registered ops of its own
}

}  // namespace plumb::gpu_vulkan::passes
