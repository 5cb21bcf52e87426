// `plumb reach`: which kernels graphs reach, with which attributes, shapes and values: what the coverage table is of.
#include <CLI/CLI.hpp>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/op_list.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/graph_paths.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using gpu_vulkan::passes::Fused;
using gpu_vulkan::plan::Plan;

struct ReachFlags {
  std::vector<std::string> paths;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
};

/// Bits of a float's exponent and mantissa.
struct FloatBits {
  int exponent = 0, mantissa = 0;
};

FloatBits float_bits(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::f16:
      return {5, 10};
    case ir::DType::bf16:
      return {8, 7};
    case ir::DType::f32:
    case ir::DType::c64:
      return {8, 23};
    case ir::DType::f64:
    case ir::DType::c128:
      return {11, 52};
    default:
      return {};
  }
}

/// The kinds of special numbers among elements: "nan", "inf", "-0", "subnormal".
std::set<std::string> specials_of(const ir::Tensor& tensor) {
  std::set<std::string> found;
  const auto [exponent_bits, mantissa_bits] = float_bits(tensor.dtype());
  if (exponent_bits == 0) return found;
  const std::size_t size = static_cast<std::size_t>(1 + exponent_bits + mantissa_bits) / 8;
  const std::uint64_t most = (std::uint64_t{1} << exponent_bits) - 1;
  for (std::size_t at = 0; at < tensor.bytes().size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, tensor.bytes().data() + at, size);
    const std::uint64_t exponent = bits >> mantissa_bits & most;
    const std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
    if (exponent == most) found.insert(mantissa != 0 ? "nan" : "inf");
    if (exponent == 0 && mantissa != 0) found.insert("subnormal");
    if (exponent == 0 && mantissa == 0 && bits != 0) found.insert("-0");
  }
  return found;
}

Json json_of(const ir::Attribute& attribute) {
  return std::visit(
      []<class T>(const T& value) -> Json {
        if constexpr (std::is_same_v<T, ir::Bytes>)
          return ir::cat(value.size(), " bytes");
        else if constexpr (std::is_same_v<T, double>)
          return ir::cat(value);  // infinities have no number in JSON
        else if constexpr (std::is_same_v<T, std::vector<double>>)
          return ir::cat(value.size(), " reals");
        else
          return value;
      },
      attribute);
}

Json json_of(const ir::Attributes& attributes) {
  auto object = Json::object();
  for (const auto& [name, value] : attributes) object[name] = json_of(value);
  return object;
}

using Schemas = std::set<const ir::OpSchema*>;

/// Prints all that the device could run: its modules, and every op with its attributes and their defaults.
void print_declared(const Schemas& schemas) {
  auto modules = Json::array();
  for (const auto& blob : gpu_vulkan::kernels::common::shader_blobs()) modules.push_back(blob.name);
  std::cout << Json{{"modules", modules}} << '\n';
  for (const ir::OpSchema* schema : schemas) {
    auto fields = Json::array();
    for (const ir::FieldInfo& field : schema->fields())
      fields.push_back({{"name", field.name}, {"kind", field.kind}, {"choices", field.choices}});
    std::cout << Json{{"op", schema->name},
                      {"defaults", json_of(schema->write(schema->defaults()))},
                      {"fields", fields}}
              << '\n';
  }
}

Json dispatches_of(const Plan& plan, std::size_t node) {
  auto list = Json::array();
  for (const gpu_vulkan::plan::Dispatch& dispatch : plan.schedule.dispatches) {
    if (dispatch.node != node) continue;
    auto constants = Json::object();
    for (const gpu_vulkan::plan::Constant& constant : dispatch.shader.constants.all())
      constants[std::string(constant.name())] = constant.value();
    list.push_back({{"module", dispatch.shader.words == nullptr ? dispatch.shader.name : "region"},
                    {"constants", constants},
                    {"groups", dispatch.groups},
                    {"steps", dispatch.steps}});
  }
  return list;
}

/// A line for each node that the device runs. `values` are those of the graph before passes, which keep their numbers.
void print_nodes(const std::string& path, const Fused& fused, const Plan& plan, const ir::Tensors& values,
                 Schemas& schemas) {
  for (std::size_t n = 0; n < fused.graph.nodes().size(); ++n) {
    const ir::Node& node = fused.graph.nodes()[n];
    if (plan.nodes[n].placement != ir::Placement::gpu) continue;
    schemas.insert(&node.op.schema());  // ops that passes make are met here alone
    auto in = Json::array(), out = Json::array(), specials = Json::array();
    ir::TensorTypes in_types, out_types;
    for (const ir::Value v : node.inputs) {
      const auto value = values.find(v);
      in.push_back(ir::cat(in_types.emplace_back(fused.graph.type(v))));
      specials.push_back(value == values.end() ? std::set<std::string>{} : specials_of(value->second));
    }
    for (const ir::Value v : node.outputs) out.push_back(ir::cat(out_types.emplace_back(fused.graph.type(v))));
    std::cout << Json{{"file", path},
                      {"node", node.label},
                      {"op", node.op.name()},
                      {"kernel", plan.nodes[n].kernel},
                      {"tile", plan.nodes[n].tile},
                      {"terms", node.op.schema().cost(node.op, in_types, out_types).contraction},
                      {"in", in},
                      {"out", out},
                      {"specials", specials},
                      {"attributes", json_of(node.op.attributes())},
                      {"dispatches", dispatches_of(plan, n)}}
              << '\n';
  }
}

/// The values of a graph at its own precision, sources among them.
ir::Tensors values_of(const cases::Case& subject) {
  const ir::Graph& graph = subject.file->graph;
  std::vector<ir::Value> wanted;
  for (const ir::Node& node : graph.nodes()) wanted.insert(wanted.end(), node.outputs.begin(), node.outputs.end());
  ir::Tensors values = ref_cpu::CpuExecutor().run(graph, subject.feeds, wanted);
  for (ir::Value v = 0; graph.is_source(v); ++v) values.emplace(v, ir::fed(graph, subject.feeds, v));
  return values;
}

/// Prints what a graph reaches. Throws Error, as the executors do.
void print_graph(const gpu_vulkan::VulkanExecutor& device, const std::string& path, const cases::Case& subject,
                 Schemas& schemas) {
  const ir::Graph& graph = subject.file->graph;
  const ir::Tensors values = values_of(subject);
  for (const bool is_watched : {true, false}) {  // as verify watches it, and as it ships
    const auto fused = device.fused(graph, {graph.results(), is_watched}, subject.feeds);
    print_nodes(path, fused, device.plan(fused.graph, fused.capture), values, schemas);
  }
}

int print_reached(const ReachFlags& flags) {
  const gpu_vulkan::VulkanExecutor device(flags::vulkan_options(flags.device));
  const auto& all = ir::all_schemas();
  Schemas schemas(all.begin(), all.end());
  const verify::FillOptions fill = flags::fill_options(flags.graph);
  for (const std::string& path : flags::graph_paths(flags.paths)) {
    const cases::Case subject = verify::load_case(path, fill);
    try {
      print_graph(device, path, subject, schemas);
    } catch (const ir::Error& error) {
      if (subject.file->must != ir::formats::Must::refuse) ir::fail(path, ": ", error.what());
    }
  }
  print_declared(schemas);
  return 0;
}

}  // namespace

Action reach(CLI::App& app) {
  const auto flags = std::make_shared<ReachFlags>();
  app.add_option("graphs", flags->paths, "graph files (plumb.graph/1, ONNX), or folders of them")->required();
  flags::add_graph_flags(app, flags->graph);
  flags::add_precision_flag(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  return [flags] { return print_reached(*flags); };
}

}  // namespace plumb::parity::cli
