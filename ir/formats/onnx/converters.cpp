// The table of ONNX operators by name, from the converters of all families.
#include "ir/formats/onnx/converters.hpp"

namespace plumb::ir::from_onnx {

const Converter* find_converter(std::string_view op_type) {
  static const auto by_name = [] {
    std::map<std::string_view, const Converter*> map;
    for (const auto family : all_converters())
      for (const Converter& converter : family)
        require(map.emplace(converter.op_type, &converter).second, converter.op_type, " has two converters");
    return map;
  }();
  const auto found = by_name.find(op_type);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace plumb::ir::from_onnx
