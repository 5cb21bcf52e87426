// Reads definitions.
#include "parity/check/flashinfer/definition.hpp"

#include <algorithm>
#include <array>

#include "ir/files/read_file.hpp"
#include "ir/formats/node_text.hpp"
#include "ir/shape.hpp"
#include "parity/check/flashinfer/fields.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

using ir::formats::Json;

constexpr std::uint64_t most_bytes = 1 << 22;
constexpr std::size_t most_members = 256;

/// The name of a dtype in a definition; nothing where the IR has no such dtype.
struct DTypeName {
  std::string_view name;
  std::optional<ir::DType> dtype;
};

constexpr std::array dtype_names = {DTypeName{"float32", ir::DType::f32},   DTypeName{"float16", ir::DType::f16},
                                    DTypeName{"bfloat16", ir::DType::bf16}, DTypeName{"float8_e4m3fn", std::nullopt},
                                    DTypeName{"float8_e5m2", std::nullopt}, DTypeName{"float4_e2m1", std::nullopt},
                                    DTypeName{"int64", ir::DType::i64},     DTypeName{"int32", ir::DType::i32},
                                    DTypeName{"int16", ir::DType::i16},     DTypeName{"int8", ir::DType::i8},
                                    DTypeName{"bool", ir::DType::boolean}};

ir::DType named_dtype(const Fields& fields) {
  const std::string& name = fields.text("dtype");
  std::vector<std::string> names;
  for (const DTypeName& one : dtype_names) {
    names.emplace_back(one.name);
    if (one.name != name) continue;
    if (!one.dtype)
      throw ir::Unsupported(ir::cat(fields.where(), ": is ", name, ", and there are no ops on quantised numbers yet"));
    return *one.dtype;
  }
  ir::fail(fields.where(), ": there is no dtype ", in_quotes(name), core::did_you_mean(name, names));
}

Axis axis_of(const std::string& name, const Json& json, const std::string& where) {
  const Fields fields(json, where, {"type", "value", "description"});
  const std::string& type = fields.text("type");
  ir::require(type == "const" || type == "var", where, ": type must be const or var, got ", in_quotes(type));
  if (type == "const") return {name, fields.extent("value")};
  ir::require(fields.find("value") == nullptr, where, ": a var axis has no value, each workload says it");
  return {name, std::nullopt};
}

TensorSpec tensor_of(const std::string& name, const Json& json, const std::string& where, const Definition& made) {
  const Fields fields(json, where, {"shape", "dtype", "description", "optional"});
  TensorSpec spec{.name = name, .axes = {}, .dtype = named_dtype(fields)};
  ir::require(json.find("shape") != nullptr, where, ": field 'shape' is missing; a number has null");
  if (fields.find("shape") == nullptr) return spec;
  spec.axes = fields.texts("shape");
  ir::require(spec.axes->size() <= ir::max_rank, where, ": a shape has at most ", ir::max_rank, " axes, got ",
              spec.axes->size());
  std::vector<std::string> names;
  for (const Axis& axis : made.axes) names.push_back(axis.name);
  for (const std::string& axis : *spec.axes)
    ir::require(made.axis(axis) != nullptr, where, ": there is no axis ", in_quotes(axis),
                core::did_you_mean(axis, names));
  return spec;
}

void add_tensors(std::vector<TensorSpec>& specs, const Fields& top, const std::string& field, const Definition& made) {
  const ir::formats::JsonObject& members = top.object(field);
  ir::require(!members.empty() && members.size() <= most_members, top.where(), ": ", field, " has ", members.size(),
              " tensors; 1 to ", most_members, " are possible");
  const std::string kind = field == "inputs" ? "input" : "output";
  for (const auto& [name, json] : members) {
    const std::string where = ir::cat(top.where(), ": ", kind, " ", in_quotes(name));
    try {
      ir::formats::check_name(name);
    } catch (const ir::Error& error) {
      ir::fail(where, ": ", error.what());
    }
    ir::require(made.input(name) == nullptr, where, ": an input has this name already");
    specs.push_back(tensor_of(name, json, where, made));
  }
}

template <class Named>
const Named* find_named(const std::vector<Named>& all, std::string_view wanted) {
  const auto found = std::ranges::find(all, wanted, &Named::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Axis* Definition::axis(std::string_view wanted) const { return find_named(axes, wanted); }
const TensorSpec* Definition::input(std::string_view wanted) const { return find_named(inputs, wanted); }
const TensorSpec* Definition::output(std::string_view wanted) const { return find_named(outputs, wanted); }

Definition parse_definition(std::string_view text, const std::string& where) {
  Json json;
  try {
    json = ir::formats::parse_json(text, {.bytes = most_bytes, .values = 1 << 16, .depth = 16});
  } catch (const ir::Error& error) {
    ir::fail(where, ": ", error.what());
  }
  const Fields top(json, where,
                   {"name", "op_type", "axes", "inputs", "outputs", "reference", "tags", "description", "constraints"});
  Definition made{.name = top.text("name"), .op_type = top.text("op_type"), .reference = top.text("reference")};
  for (const std::string_view list : {"tags", "constraints"})
    if (top.find(list) != nullptr) top.texts(list);
  const ir::formats::JsonObject& axes = top.object("axes");
  ir::require(axes.size() <= most_members, where, ": axes are ", axes.size(), ", at most ", most_members,
              " are possible");
  for (const auto& [name, axis] : axes)
    made.axes.push_back(axis_of(name, axis, ir::cat(where, ": axis ", in_quotes(name))));
  add_tensors(made.inputs, top, "inputs", made);
  add_tensors(made.outputs, top, "outputs", made);
  return made;
}

Definition read_definition(const std::filesystem::path& path) {
  return parse_definition(ir::files::read_named_text(path, most_bytes), path.string());
}

}  // namespace plumb::parity::check::flashinfer
