// Finds the tags of cases, reading no more of them than an expression asks for.
#include "parity/cli/verifying/case_tags.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "ir/registered_op.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::cli {
namespace {

constexpr double most_of_small = 0x1p26, most_of_medium = 0x1p30;  ///< bytes
constexpr std::array sizes = {"small", "medium", "large"};
constexpr std::string_view op_tag = "op:", dtype_tag = "dtype:", fill_tag = "fill:", folder_tag = "dir:";

std::vector<std::string> with_prefix(std::string_view prefix, const auto& names) {
  std::vector<std::string> all;
  for (const auto& name : names) all.push_back(ir::cat(prefix, name));
  return all;
}

std::vector<std::string> known_after(std::string_view prefix) {
  if (prefix == op_tag) {
    std::vector<std::string> all;
    for (const ir::OpSchema* const schema : ir::known_schemas()) all.push_back(ir::cat(op_tag, schema->name));
    return all;
  }
  if (prefix == fill_tag) {
    std::vector<std::string> all = with_prefix(fill_tag, enum_names(core::FillKind()));
    for (const std::string& one : with_prefix("fill:adversarial:", enum_names(ir::AdversarialKind())))
      all.push_back(one);
    return all;
  }
  return {};
}

/// Whether the tag can be told from the graph alone.
bool is_of_graph(const std::string& tag) {
  return tag.starts_with(op_tag) || tag.starts_with(dtype_tag) || std::ranges::count(sizes, tag) > 0;
}

/// Whether a case may have the tag of itself. Throws Error where it looks like one that there is not.
bool is_built_in(const cases::TagExpression& expression, const std::string& tag) {
  if (tag == "onnx" || tag.starts_with(folder_tag) || std::ranges::count(sizes, tag) > 0) return true;
  if (tag.starts_with(dtype_tag)) {
    ir::require(ir::find_dtype(tag.substr(dtype_tag.size())).has_value(), "--tag: there is no dtype '",
                tag.substr(dtype_tag.size()), "'", expression.pointing_at(tag));
    return true;
  }
  for (const std::string_view prefix : {op_tag, fill_tag}) {
    if (!tag.starts_with(prefix)) continue;
    const std::vector<std::string> known = known_after(prefix);
    ir::require(std::ranges::count(known, tag) > 0, "--tag: there is no tag '", tag, "'",
                core::did_you_mean(tag, known), expression.pointing_at(tag));
    return true;
  }
  return false;
}

/// Adds the tags of a graph's file, and those of its graph; none of a file that cannot be read, which is an error of
/// its case.
void read_tags(const Batch& batch, const std::string& path, cases::Tags& tags, cases::Tags& own) try {
  const ir::formats::GraphFile file = batch.fill.read(path);
  tags.insert(file.tags.begin(), file.tags.end());
  own.insert(file.tags.begin(), file.tags.end());
  tags.merge(tags_of_graph(file.graph, batch.fill.dtype));
} catch (const ir::Error&) {
  return;
}

}  // namespace

cases::Tags tags_of_path(const std::string& path) {
  cases::Tags tags;
  if (flags::is_onnx(path)) tags.insert("onnx");
  for (const std::filesystem::path& part : std::filesystem::path(path).parent_path())
    if (part != "." && part != ".." && part != "/") tags.insert(ir::cat(folder_tag, part.string()));
  return tags;
}

cases::Tags tags_of_graph(const ir::Graph& graph, std::optional<ir::DType> stored) {
  cases::Tags tags;
  const auto add_dtype = [&](ir::DType dtype) {
    if (stored && dtype == ir::DType::f32) dtype = *stored;
    tags.insert(ir::cat(dtype_tag, ir::info(dtype).name));
  };
  for (ir::Value v = 0; graph.is_source(v); ++v) add_dtype(graph.type(v).dtype);
  for (const ir::Node& node : graph.nodes()) {
    tags.insert(ir::cat(op_tag, node.op.name()));
    for (const ir::Value v : node.outputs) add_dtype(graph.type(v).dtype);
  }
  const double bytes = verify::memory_needed(graph);
  tags.insert(sizes[bytes <= most_of_small ? 0 : bytes <= most_of_medium ? 1 : 2]);
  return tags;
}

cases::Tags tags_of_fill(const verify::FillOptions& fill) {
  const std::string kind = ir::cat(fill_tag, ir::enum_name(fill.kind));
  cases::Tags tags = {kind};
  if (fill.adversarial) tags.insert(ir::cat(kind, ':', ir::enum_name(*fill.adversarial)));
  return tags;
}

std::vector<std::string> known_tags() {
  std::vector<std::string> all = {"onnx"};
  all.insert(all.end(), sizes.begin(), sizes.end());
  for (const std::string_view prefix : {op_tag, fill_tag})
    for (std::string& tag : known_after(prefix)) all.push_back(std::move(tag));
  for (std::size_t i = 0; i < ir::dtype_count; ++i)
    all.push_back(ir::cat(dtype_tag, ir::info(static_cast<ir::DType>(i)).name));
  return all;
}

void require_known_tags(const cases::TagExpression& expression, const cases::Tags& own) {
  for (const std::string& tag : expression.names())
    ir::require(own.contains(tag) || is_built_in(expression, tag), "--tag: no case has the tag '", tag, "'",
                core::did_you_mean(tag, {own.begin(), own.end()}), expression.pointing_at(tag));
}

void choose_tags(const flags::VerifyFlags& flags, std::vector<Batch>& batches) {
  if (flags.tag.empty()) return;
  const cases::TagExpression expression(flags.tag, "--tag");
  const bool reads_all = std::ranges::any_of(expression.names(), is_of_graph);
  cases::Tags own;
  for (Batch& batch : batches) {
    own.insert(batch.tags.begin(), batch.tags.end());
    std::erase_if(batch.paths, [&](const std::string& path) {
      cases::Tags tags = tags_of_path(path);
      tags.merge(tags_of_fill(batch.fill));
      tags.insert(batch.tags.begin(), batch.tags.end());
      // A model in another format has no tags of its own.
      if (reads_all || !tags.contains("onnx")) read_tags(batch, path, tags, own);
      return !expression.holds_for(tags);
    });
  }
  require_known_tags(expression, own);
  std::erase_if(batches, [](const Batch& batch) { return batch.paths.empty(); });
  ir::require(!batches.empty(), "--tag '", flags.tag, "' chooses no case");
}

}  // namespace plumb::parity::cli
