#include "ir/graph.hpp"

namespace plumb::ir {
namespace {

void print(std::ostream& out, const Attribute& attribute) {
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, bool>)
          out << (value ? "true" : "false");
        else if constexpr (std::is_same_v<T, Bytes>)
          out << '<' << value.size() << " bytes>";
        else if constexpr (requires { value.size(); } && !std::is_same_v<T, std::string>) {
          out << '[';
          for (std::size_t i = 0; i < value.size(); ++i) out << (i != 0 ? ", " : "") << value[i];
          out << ']';
        } else {
          out << value;
        }
      },
      attribute);
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::ostringstream out;
  for (Value v = 0; graph.is_source(v); ++v)
    out << (v < graph.inputs().size() ? "input " : "param ") << graph.name(v) << ": " << graph.type(v) << '\n';
  for (const Node& node : graph.nodes()) {
    for (std::size_t k = 0; k < node.outputs.size(); ++k)
      out << (k != 0 ? ", " : "") << graph.name(node.outputs[k]) << ": " << graph.type(node.outputs[k]);
    out << " = " << node.op.name() << '(';
    for (std::size_t i = 0; i < node.inputs.size(); ++i) out << (i != 0 ? ", " : "") << graph.name(node.inputs[i]);
    out << ')';
    const Attributes defaults = node.op.schema().defaults().attributes();
    for (const auto& [name, attribute] : node.op.attributes()) {
      const auto usual = defaults.find(name);
      if (usual != defaults.end() && usual->second == attribute) continue;
      out << ' ' << name << '=';
      print(out, attribute);
    }
    out << '\n';
  }
  out << "return";
  for (const Value v : graph.results()) out << ' ' << graph.name(v);
  out << '\n';
  return std::move(out).str();
}

}  // namespace plumb::ir
