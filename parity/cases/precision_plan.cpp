// Precision plans as TOML: which matrix products run in f16 and how they accumulate.
#include "parity/cases/precision_plan.hpp"

#include <algorithm>
#include <sstream>

#include "ir/attribute.hpp"
#include "ir/files/read_file.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/dequant_matmul.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/raw/glob.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/toml_text.hpp"

namespace plumb::parity::cases {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::string_view schema = "plumb-precision/1";

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::toml_formatter{toml::value<std::string>(text), toml::format_flags::none};
  return std::move(out).str();
}

/// The plan by labels of the graph: what a label says itself goes before what a glob says that matches it, and a glob
/// takes the nodes that can compute so.
ir::passes::PrecisionPlan by_labels_of(const ir::Graph& graph, const ir::passes::PrecisionPlan& plan,
                                       const std::string& file) {
  std::vector<std::string> labels;
  for (const ir::Node& node : graph.nodes()) labels.push_back(node.label);
  ir::passes::PrecisionPlan made, by_globs;
  for (const auto& [label, precision] : plan) {
    if (std::ranges::find(labels, label) != labels.end()) {
      made.emplace(label, precision);
      continue;
    }
    const std::size_t before = by_globs.size();
    for (const ir::Node& node : graph.nodes())
      if (ir::raw::glob_matches(label, node.label) && ir::passes::why_not(graph, node, precision).empty())
        ir::require(by_globs.emplace(node.label, precision).second, file, ": two globs match '", node.label, "'");
    const bool is_glob = label.find_first_of("*?") != std::string::npos;
    ir::require(is_glob || by_globs.size() > before, file, ": names '", label, "', which is no node of the graph",
                core::did_you_mean(label, labels));
    ir::require(by_globs.size() > before, file, ": '", label, "' matches no node that can compute in ",
                ir::enum_name(precision));
  }
  made.merge(by_globs);
  return made;
}

/// The precisions of products, for messages: "f32", "f16acc32", ...
std::string all_precisions() {
  std::string text;
  for (const std::string_view name : enum_names(ir::passes::Precision{}))
    text += ir::cat(text.empty() ? "" : ", ", '"', name, '"');
  return text;
}

}  // namespace

ir::passes::PrecisionPlan parse_plan(std::string_view text, const std::string& file) {
  const toml::table table = core::parse_toml(text, file);
  const auto refuse = [&](const toml::node& at, const auto&... parts) {
    ir::fail(file, ':', at.source().begin.line, ": ", parts...);
  };
  ir::require(table["schema"].value<std::string>() == schema, file, ": wanted schema = \"", schema, "\"");
  ir::passes::PrecisionPlan plan;
  for (const auto& [key, value] : table) {
    const std::string_view name = key.str();
    if (name == "schema") continue;
    if (name != "source" && name != "nodes") refuse(value, "wanted schema, source or [nodes], found '", name, "'");
    if (name == "source" && !value.is_string()) refuse(value, "source must be a string");
    if (name == "source") continue;
    if (!value.is_table()) refuse(value, "nodes must be a table of labels");
    for (const auto& [label, precision] : *value.as_table()) {
      const auto named = precision.value<std::string>();
      const auto wanted = named ? ir::enum_value<ir::passes::Precision>(*named) : std::nullopt;
      if (!wanted) refuse(precision, "node '", label.str(), "': wanted ", all_precisions());
      plan.emplace(label.str(), *wanted);
    }
  }
  return plan;
}

ir::passes::PrecisionPlan read_plan(const std::filesystem::path& path) {
  return parse_plan(ir::files::read_named_text(path, most_bytes), path.string());
}

std::string to_toml(const ir::passes::PrecisionPlan& plan, std::string_view source) {
  std::string text = ir::cat("schema = \"", schema, "\"\nsource = ", quoted(std::string(source)), "\n\n[nodes]\n");
  for (const auto& [label, precision] : plan) text += ir::cat(quoted(label), " = \"", ir::enum_name(precision), "\"\n");
  return text;
}

ir::passes::PrecisionPlan plan_of(const ir::Graph& graph, const std::string& precision) {
  const auto named = ir::enum_value<ir::passes::Precision>(precision);
  if (!named) return by_labels_of(graph, read_plan(precision), precision);
  const ir::passes::PrecisionPlan plan = ir::passes::all_at(graph, *named);
  if (!plan.empty() || *named == ir::passes::Precision::f32) return plan;
  const std::string matmul = ir::ops::Matmul::name, packed = ir::ops::DequantMatmul::name;
  const auto all = ir::cat(matmul, ", ", ir::ops::Gemm::name, " or ", ir::ops::Conv::name);
  const auto wanted = *named == ir::passes::Precision::f16acc16  ? matmul
                      : *named == ir::passes::Precision::q8acc32 ? packed
                                                                 : all;
  throw ir::Unsupported(ir::cat(precision, ": the graph has no ", wanted, " of f32"));
}

}  // namespace plumb::parity::cases
