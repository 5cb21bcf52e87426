// Reads --args, word by word.
#include "library/host/arguments.hpp"

#include <charconv>

namespace plumb::library::host {
namespace {

/// The number that a text is; nothing where it is another text.
std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || text.size() > 4 || problem != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// The tensor that "x0" or "y1" names.
std::optional<TensorArgument> tensor_in(std::string_view word, const Signature& signature) {
  if (word.empty() || (word[0] != 'x' && word[0] != 'y')) return std::nullopt;
  const auto number = number_in(word.substr(1));
  const std::size_t count = word[0] == 'x' ? signature.operands.size() : signature.results.size();
  if (!number || *number >= count) return std::nullopt;
  return TensorArgument{*number + (word[0] == 'x' ? 0 : signature.operands.size())};
}

/// The extent that "x0.shape[1]" names.
std::optional<std::int64_t> extent_in(std::string_view word, const Signature& signature) {
  constexpr std::string_view shape = ".shape[";
  const std::size_t at = word.find(shape);
  if (at == std::string_view::npos || !word.ends_with(']')) return std::nullopt;
  const auto tensor = tensor_in(word.substr(0, at), signature);
  const auto axis = number_in(word.substr(at + shape.size(), word.size() - at - shape.size() - 1));
  if (!tensor || !axis) return std::nullopt;
  const std::size_t operands = signature.operands.size();
  const ir::TensorType& type =
      tensor->number < operands ? signature.operands[tensor->number] : signature.results[tensor->number - operands];
  if (*axis >= type.shape.size()) return std::nullopt;
  return type.shape[*axis];
}

/// The number, true or false that a word is.
std::optional<Argument> literal_in(std::string_view word) {
  if (word == "true" || word == "false") return word == "true";
  const auto is_read = [&](auto& number) {
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    return problem == std::errc() && end == word.data() + word.size();
  };
  std::int64_t whole = 0;
  if (is_read(whole)) return whole;
  double real = 0;
  const bool is_number = word.find_first_not_of("0123456789.eE+-") == word.npos && is_read(real);
  return is_number ? std::optional<Argument>(real) : std::nullopt;
}

Argument attribute_in(std::string_view word, const Signature& signature) {
  const auto found = signature.attributes.find(word);
  if (found == signature.attributes.end()) {
    std::string names;
    for (const auto& [name, value] : signature.attributes) names += ", " + name;
    ir::fail("--args: there is no '", word, "'; there are ", signature.operands.size(), " operands x, ",
             signature.results.size(), " outputs y", names);
  }
  return std::visit(
      [&]<class T>(const T& value) -> Argument {
        if constexpr (std::is_constructible_v<Argument, T> && !std::is_same_v<T, ir::Bytes>)
          return value;
        else
          ir::fail("--args: attribute '", word, "' is a list, not a number or a text");
      },
      found->second);
}

}  // namespace

Signature::Signature(const ir::Graph& graph) {
  const auto add = [&](ir::Value v, std::vector<std::string>& names, std::vector<ir::TensorType>& types) {
    names.push_back(graph.name(v));
    types.push_back(graph.type(v));
  };
  if (graph.nodes().size() == 1) {
    const ir::Node& node = graph.nodes().front();
    for (const ir::Value v : node.inputs) add(v, operand_names, operands);
    attributes = node.op.attributes();
  } else {
    for (ir::Value v = 0; v < graph.inputs().size() + graph.params().size(); ++v) add(v, operand_names, operands);
  }
  for (const ir::Value v : graph.results()) add(v, result_names, results);
}

std::vector<Argument> arguments_of(const std::string& order, const Signature& signature) {
  const std::size_t count = signature.operands.size() + signature.results.size();
  std::vector<Argument> arguments;
  if (order.empty()) {
    for (std::size_t i = 0; i < count; ++i) arguments.emplace_back(TensorArgument{i});
    return arguments;
  }
  std::vector<bool> has(count, false);
  for (std::size_t begin = 0; begin <= order.size();) {
    const std::size_t end = std::min(order.find(',', begin), order.size());
    const std::string_view word = std::string_view(order).substr(begin, end - begin);
    begin = end + 1;
    if (const auto tensor = tensor_in(word, signature)) {
      has[tensor->number] = true;
      arguments.emplace_back(*tensor);
    } else if (const auto extent = extent_in(word, signature)) {
      arguments.emplace_back(*extent);
    } else if (const auto literal = literal_in(word)) {
      arguments.push_back(*literal);
    } else {
      arguments.push_back(attribute_in(word, signature));
    }
  }
  for (std::size_t i = signature.operands.size(); i < count; ++i)
    ir::require(has[i], "--args has no y", i - signature.operands.size(),
                ": the function needs a place for each output");
  return arguments;
}

}  // namespace plumb::library::host
