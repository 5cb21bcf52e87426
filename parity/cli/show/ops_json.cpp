// Schemas of ops for programs.
#include "parity/cli/show/ops_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace plumb::parity::cli::show {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ir::Attribute& attribute) {
  return std::visit(
      []<class T>(const T& value) -> Json {
        if constexpr (std::is_same_v<T, ir::Bytes>)
          return Json(nullptr);
        else if constexpr (std::is_same_v<T, double>)
          return std::isfinite(value) ? Json(value) : Json(ir::cat(value));
        else
          return Json(value);
      },
      attribute);
}

Json input_of(const ir::Input& input) {
  Json made = {{"name", input.name}, {"dtypes", Json::array()}, {"shape", input.shape}};
  for (std::size_t k = 0; k < ir::dtype_count; ++k)
    if (const auto dtype = static_cast<ir::DType>(k); input.dtypes.contains(dtype))
      made["dtypes"].push_back(ir::info(dtype).name);
  if (!input.like.empty()) made["like"] = input.like;
  if (!input.when.empty()) made["when"] = input.when;
  if (input.repeated) made["repeated"] = true;
  return made;
}

Json attribute_of(const ir::FieldInfo& field, const ir::Attributes& defaults) {
  Json made = {{"name", field.name}, {"kind", field.kind}, {"doc", field.doc}};
  if (!field.choices.empty()) made["choices"] = field.choices;
  const auto usual = defaults.find(field.name);
  if (field.presence == ir::Presence::optional && usual != defaults.end()) made["default"] = json_of(usual->second);
  return made;
}

Json json_of(const OpRow& row) {
  const ir::OpSchema& schema = *row.schema;
  Json made = {{"op", schema.name},           {"tier", schema.tier},       {"ref_cpu", row.on_cpu},
               {"gpu_vulkan", row.on_vulkan}, {"summary", schema.summary}, {"formula", schema.formula}};
  made["inputs"] = Json::array();
  for (const ir::Input& input : schema.inputs) made["inputs"].push_back(input_of(input));
  made["outputs"] = Json::array();
  for (const ir::Output& output : schema.outputs)
    made["outputs"].push_back({{"name", output.name}, {"type", output.type}});
  const ir::Op usual = schema.defaults();
  made["attributes"] = Json::array();
  for (const ir::FieldInfo& field : schema.fields())
    made["attributes"].push_back(attribute_of(field, usual.attributes()));
  made["error_class"] = ir::enum_name(usual.error_class());
  return made;
}

}  // namespace

std::string ops_json(const std::vector<OpRow>& rows) {
  Json list = Json::array();
  for (const OpRow& row : rows) list.push_back(json_of(row));
  return list.dump(2);
}

}  // namespace plumb::parity::cli::show
