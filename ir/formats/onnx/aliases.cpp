// Keeps the names of a file by which a finished graph does not know its values itself.
#include "ir/formats/onnx/aliases.hpp"

#include "ir/formats/result_names.hpp"

namespace plumb::ir::from_onnx {

std::map<std::string, Value, std::less<>> aliases_of(const Graph& graph, const NamedRefs& refs,
                                                     const std::vector<std::optional<Value>>& values) {
  std::set<std::string, std::less<>> own;
  for (Value value = 0; value < graph.value_count(); ++value)
    if (graph.defined(value)) own.insert(graph.name(value));
  for (std::size_t k = 0; k < graph.results().size(); ++k) own.insert(formats::result_name(graph, k));
  std::map<std::string, Value, std::less<>> aliases;
  for (const auto& [name, ref] : refs)
    if (ref && values.at(*ref) && !name.empty() && !own.contains(name)) aliases.emplace(name, *values[*ref]);
  return aliases;
}

}  // namespace plumb::ir::from_onnx
