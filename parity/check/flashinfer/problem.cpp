// The table of op_types, and the arguments of functions.
#include "parity/check/flashinfer/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "parity/check/flashinfer/fields.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

struct Family {
  std::string_view op_type;
  void (*build)(Builder& builder);
  VarAxes (*axes)(const Definition& definition, std::int64_t size);
};

/// All var axes have the same extent.
VarAxes equal_axes(const Definition& definition, std::int64_t size) {
  VarAxes axes;
  for (const Axis& axis : definition.axes)
    if (!axis.extent) axes.emplace(axis.name, size);
  return axes;
}

constexpr std::array families = {
    Family{"embedding", build_embedding, equal_axes},     Family{"gemm", build_gemm, equal_axes},
    Family{"gqa_paged", build_attention, attention_axes}, Family{"gqa_ragged", build_attention, attention_axes},
    Family{"rmsnorm", build_rms_norm, equal_axes},        Family{"rope", build_rope, equal_axes}};

const Family& family_of(const Definition& definition) {
  std::vector<std::string> names;
  std::string all;
  for (const Family& family : families) {
    if (family.op_type == definition.op_type) return family;
    names.emplace_back(family.op_type);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  throw ir::Unsupported(ir::cat(definition.name, ": op_type ", in_quotes(definition.op_type),
                                " is not built in; built in are ", all, core::did_you_mean(definition.op_type, names)));
}

std::string literal(const ScalarInput& scalar) {
  return std::visit(
      [](const auto value) {
        if constexpr (std::is_same_v<std::remove_cv_t<decltype(value)>, bool>)
          return std::string(value ? "true" : "false");
        else
          return fmt::format("{}", value);
      },
      scalar.value);
}

/// The operands that a host gives a function for a graph: those of its only node, or else all sources.
std::vector<std::string> operands_of(const ir::Graph& graph) {
  std::vector<std::string> names;
  if (graph.nodes().size() == 1) {
    for (const ir::Value value : graph.nodes().front().inputs) names.push_back(graph.name(value));
    return names;
  }
  names = graph.inputs();
  names.insert(names.end(), graph.params().begin(), graph.params().end());
  return names;
}

void add_arguments(Problem& problem, const Task& task) {
  const std::vector<std::string> operands = operands_of(problem.file.graph);
  std::string& text = problem.arguments;
  for (const TensorSpec& spec : task.definition.inputs) {
    if (!text.empty()) text += ',';
    const auto* scalar = std::get_if<ScalarInput>(&task.workload.inputs.find(spec.name)->second);
    if (scalar != nullptr) {
      text += literal(*scalar);
      continue;
    }
    const auto found = std::ranges::find(operands, spec.name);
    ir::require(found != operands.end(), task.definition.name, ": nothing reads input ", in_quotes(spec.name));
    text += ir::cat('x', found - operands.begin());
  }
  problem.returning_arguments = text;
  for (std::size_t k = 0; k < task.definition.outputs.size(); ++k) text += ir::cat(",y", k);
}

}  // namespace

Problem problem_of(const Task& task, const Words& words) {
  const Family& family = family_of(task.definition);
  Constants constants(task.definition, words);
  Builder builder(task, constants);
  family.build(builder);
  constants.require_all_asked();
  Problem problem{.file = builder.finish(), .arguments = {}, .returning_arguments = {}};
  add_arguments(problem, task);
  return problem;
}

std::vector<Workload> drawn_workloads(const Definition& definition) {
  const Family& family = family_of(definition);
  // A scale of scores is what attention usually has; nothing else that is built in has numbers but flags.
  std::map<std::string, ScalarInput, std::less<>> scalars;
  for (const TensorSpec& spec : definition.inputs)
    if (spec.is_scalar()) {
      if (ir::is_float(spec.dtype)) {
        const Axis* const head = definition.axis("head_dim");
        const bool is_known = head != nullptr && head->extent.value_or(0) > 0;
        scalars.emplace(spec.name, ScalarInput{is_known ? 1 / std::sqrt(static_cast<double>(*head->extent)) : 1.0});
      } else if (spec.dtype == ir::DType::boolean) {
        scalars.emplace(spec.name, ScalarInput{true});
      } else {
        scalars.emplace(spec.name, ScalarInput{std::int64_t{1}});
      }
    }
  std::vector<Workload> workloads;
  for (const std::int64_t size : {1, 3, 7})
    workloads.push_back(drawn_workload(definition, ir::cat("drawn-", size), family.axes(definition, size), scalars));
  return workloads;
}

}  // namespace plumb::parity::check::flashinfer
