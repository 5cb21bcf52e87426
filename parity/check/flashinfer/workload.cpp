// Reads workloads, and makes some where there is no file of them.
#include "parity/check/flashinfer/workload.hpp"

#include <algorithm>

#include "ir/files/read_file.hpp"
#include "ir/formats/tensor_json.hpp"
#include "parity/check/flashinfer/fields.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

using ir::formats::Json;
using ir::formats::JsonObject;

constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_workloads = 100'000;
constexpr ir::formats::JsonLimits line_limits{.bytes = 1 << 20, .values = 1 << 14, .depth = 16};

ScalarInput scalar_of(const Fields& fields) {
  const Json& value = fields.need("value");
  if (value.boolean() != nullptr) return {*value.boolean()};
  if (value.whole() != nullptr) return {*value.whole()};
  ir::require(value.real() != nullptr, fields.where(), ": value must be a number or a bool, got ", value.kind());
  return {*value.real()};
}

InputSource source_of(const Json& json, const TensorSpec& spec, const std::string& where) {
  const Fields fields(json, where, {"type", "value", "path", "tensor_key"});
  const std::string& type = fields.text("type");
  const auto allow = [&](const std::vector<std::string>& known) { return Fields(json, where, known); };
  if (type == "random") {
    allow({"type"});
    ir::require(!spec.is_scalar(), where, ": is a number, which a workload says: type scalar");
    return RandomInput{};
  }
  if (type == "scalar") {
    ir::require(spec.is_scalar(), where, ": is a tensor, not a number: type random or safetensors");
    return scalar_of(allow({"type", "value"}));
  }
  const std::vector<std::string> types = {"random", "scalar", "safetensors"};
  ir::require(type == "safetensors", where, ": there is no type ", in_quotes(type), core::did_you_mean(type, types));
  allow({"type", "path", "tensor_key"});
  ir::require(!spec.is_scalar(), where, ": is a number, which a workload says: type scalar");
  return TensorInput{fields.text("path"), fields.text("tensor_key")};
}

/// Adds the extents that are given to those that the definition has.
void add_axes(Workload& made, const JsonObject& given, const Definition& definition, const std::string& where) {
  std::vector<std::string> names;
  for (const Axis& axis : definition.axes) names.push_back(axis.name);
  for (const auto& [name, json] : given) {
    const Axis* const axis = definition.axis(name);
    ir::require(axis != nullptr, where, ": the definition has no axis ", in_quotes(name),
                core::did_you_mean(name, names));
    const std::int64_t extent = extent_of(json, ir::cat(where, ": axis ", in_quotes(name)));
    ir::require(!axis->extent || *axis->extent == extent, where, ": axis ", in_quotes(name), " is const, ",
                axis->extent.value_or(0), ", got ", extent);
    made.axes.emplace(name, extent);
  }
  for (const Axis& axis : definition.axes) {
    if (axis.extent) made.axes.emplace(axis.name, *axis.extent);
    ir::require(made.axes.contains(axis.name), where, ": axis ", in_quotes(axis.name), " has no extent");
  }
}

Workload workload_of(const Json& json, const Definition& definition, const std::string& where) {
  const Fields fields(json, where, {"axes", "inputs", "uuid"});
  Workload made{.uuid = fields.text("uuid"), .text = ir::formats::to_text(json)};
  add_axes(made, fields.object("axes"), definition, where);
  std::vector<std::string> names;
  for (const TensorSpec& spec : definition.inputs) names.push_back(spec.name);
  for (const auto& [name, source] : fields.object("inputs")) {
    const TensorSpec* const spec = definition.input(name);
    ir::require(spec != nullptr, where, ": the definition has no input ", in_quotes(name),
                core::did_you_mean(name, names));
    made.inputs.emplace(name, source_of(source, *spec, ir::cat(where, ": input ", in_quotes(name))));
  }
  for (const std::string& name : names)
    ir::require(made.inputs.contains(name), where, ": input ", in_quotes(name), " is missing");
  return made;
}

/// The workload of a line, which may be that of a trace.
Workload line_of(std::string_view text, const Definition& definition, const std::string& where) {
  Json json;
  try {
    json = ir::formats::parse_json(text, line_limits);
  } catch (const ir::Error& error) {
    ir::fail(where, ": ", error.what());
  }
  if (json.find("workload") == nullptr) return workload_of(json, definition, where);
  const Fields trace(json, where, {"definition", "workload", "solution", "evaluation"});
  const std::string& name = trace.text("definition");
  ir::require(name == definition.name, where, ": is for definition ", in_quotes(name), ", not ",
              in_quotes(definition.name));
  return workload_of(trace.need("workload"), definition, where);
}

}  // namespace

ir::Shape Workload::extents(const TensorSpec& spec) const {
  ir::Shape found;
  if (!spec.is_scalar())
    for (const std::string& axis : *spec.axes) found.push_back(extent(axis));
  return found;
}

std::vector<Workload> read_workloads(const std::filesystem::path& path, const Definition& definition) {
  const std::string text = ir::files::read_named_text(path, most_bytes);
  std::vector<Workload> workloads;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    ir::require(workloads.size() < most_workloads, path.string(), ": has more than ", most_workloads, " workloads");
    workloads.push_back(line_of(line, definition, ir::cat(path.string(), ':', number)));
  }
  ir::require(!workloads.empty(), path.string(), ": has no workload");
  return workloads;
}

Workload drawn_workload(const Definition& definition, std::string uuid,
                        const std::map<std::string, std::int64_t, std::less<>>& var_axes,
                        std::map<std::string, ScalarInput, std::less<>> scalars) {
  JsonObject axes, inputs;
  for (const auto& [name, extent] : var_axes) axes.emplace_back(name, extent);
  for (const TensorSpec& spec : definition.inputs) {
    JsonObject source;
    const auto scalar = scalars.find(spec.name);
    source.emplace_back("type", scalar == scalars.end() ? "random" : "scalar");
    if (scalar != scalars.end())
      source.emplace_back("value", std::visit([](const auto value) { return Json(value); }, scalar->second.value));
    inputs.emplace_back(spec.name, std::move(source));
  }
  JsonObject members;
  members.emplace_back("uuid", std::move(uuid));
  members.emplace_back("axes", std::move(axes));
  members.emplace_back("inputs", std::move(inputs));
  return workload_of(Json(std::move(members)), definition, "a drawn workload");
}

std::filesystem::path root_of(const std::filesystem::path& workloads) {
  const std::filesystem::path folder = std::filesystem::absolute(workloads).parent_path();
  for (auto above = folder; above.has_relative_path(); above = above.parent_path())
    if (above.filename() == "workloads") return above.parent_path();
  return folder;
}

}  // namespace plumb::parity::check::flashinfer
