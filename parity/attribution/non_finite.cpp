#include "parity/attribution/non_finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <set>
#include <vector>

#include "ir/ops/activation.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/fma.hpp"
#include "ir/ops/unary.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::attribution {
namespace {

using cases::NonFinite;

/// An operand and what it is called in the graph.
struct Operand {
  std::string name;
  ir::TensorView values;
};

/// The first element for which `ask` holds, or holds of either part of a complex number; nothing where there is none.
template <class Ask>
std::optional<std::int64_t> find_element(const ir::TensorView& x, Ask ask) {
  std::optional<std::int64_t> found;
  const auto look = [&]<class T>(T) {
    const auto values = x.as<T>();
    const auto at = std::ranges::find_if(values, [&](const T& value) {
      if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
        return ask(static_cast<double>(value.real())) || ask(static_cast<double>(value.imag()));
      else
        return ask(static_cast<double>(value));
    });
    if (at != values.end()) found = at - values.begin();
  };
  if (ir::is_float(x.dtype())) ir::visit_float(x.dtype(), look);
  if (ir::is_complex(x.dtype())) ir::visit_complex(x.dtype(), look);
  return found;
}

std::optional<std::int64_t> find_not_finite(const ir::TensorView& x) {
  return find_element(x, [](double value) { return !std::isfinite(value); });
}

/// Element `i` as a number that people read.
std::string number_at(const ir::TensorView& x, std::int64_t i) {
  const ir::Tensor wide = ir::convert(x, ir::is_complex(x.dtype()) ? ir::DType::c128 : ir::DType::f64);
  const auto at = static_cast<std::size_t>(i);
  if (wide.dtype() == ir::DType::f64) return fmt::format("{:.9g}", wide.as<double>()[at]);
  const auto z = wide.as<std::complex<double>>()[at];
  return fmt::format("({:.9g} {:+.9g}i)", z.real(), z.imag());
}

/// All that a segment reads: what it is fed, and the constants in it.
std::vector<Operand> operands_of(const Computed& computed) {
  const ir::Graph& graph = computed.segment.graph;
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < computed.fed.size(); ++i)
    operands.push_back({computed.graph.name(computed.segment.fed[i]), computed.fed[i]});
  for (const ir::Node& node : graph.nodes())
    if (node.op.is<ir::ops::Constant>())
      operands.push_back({node.label, {graph.type(node.outputs[0]), node.op.as<ir::ops::Constant>().data}});
  return operands;
}

template <class... T>
bool is_one_of(const ir::Op& op) {
  return (op.is<T>() || ...);
}

/// Whether element i of the result is made of one element of each operand, broadcast to the result's shape.
bool is_by_element(const ir::Op& op) {
  using namespace ir::ops;
  return is_one_of<Activation, Binary, Cast, Clamp, Fma, Unary>(op);
}

/// Which element of an operand element `i` of the result is made of.
std::int64_t element_of(const ir::Shape& operand, const ir::Shape& result, std::int64_t i) {
  const auto from = ir::broadcast_strides(operand, result);
  const auto strides = result.strides();
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < result.size(); ++axis) element += i / strides[axis] % result[axis] * from[axis];
  return element;
}

std::string_view infix(const ir::Op& op) {
  if (!op.is<ir::ops::Binary>()) return "";
  switch (op.as<ir::ops::Binary>().function) {
    case ir::ops::BinaryFunction::add:
      return " + ";
    case ir::ops::BinaryFunction::subtract:
      return " - ";
    case ir::ops::BinaryFunction::multiply:
      return " * ";
    case ir::ops::BinaryFunction::divide:
      return " / ";
    default:
      return "";
  }
}

/// The function that an op applies, where it is one of several, else the op.
std::string function_of(const ir::Op& op) {
  const ir::Attributes attributes = op.schema().write(op);
  const auto found = attributes.find("function");
  const auto* const name = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return name == nullptr ? std::string(op.name()) : *name;
}

/// "-inf - -inf", "log(-1)"
std::string expression(const ir::Node& node, const Computed& computed, std::int64_t i) {
  std::vector<std::string> numbers;
  for (const ir::Value v : node.inputs) {
    const ir::TensorView& operand = computed.fed[v];
    numbers.push_back(number_at(operand, element_of(operand.shape(), computed.got.shape(), i)));
  }
  const std::string_view sign = infix(node.op);
  if (!sign.empty() && numbers.size() == 2) return numbers[0] + std::string(sign) + numbers[1];
  return fmt::format("{}({})", function_of(node.op), fmt::join(numbers, ", "));
}

/// The operands' numbers that may explain the element: those that are not finite or, where all are, the largest.
std::string described(const std::vector<Operand>& operands) {
  std::string text;
  const auto say = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  for (const Operand& operand : operands)
    if (const auto at = find_not_finite(operand.values))
      say(fmt::format("'{}' with {} at element {}", operand.name, number_at(operand.values, *at), *at));
  if (!text.empty()) return text;
  for (const Operand& operand : operands) {
    double largest = -1;
    find_element(operand.values, [&](double x) { return largest = std::max(largest, std::abs(x)), false; });
    const auto at = find_element(operand.values, [&](double x) { return std::abs(x) == largest; });
    if (at) say(fmt::format("'{}' with {} at element {}", operand.name, number_at(operand.values, *at), *at));
  }
  return text;
}

/// "; the truth is 70000, beyond f16" for a real element whose truth is finite; else "".
std::string beside_truth(const Computed& computed, std::int64_t i) {
  double truth = 0;
  const auto is_finite_here = [&, at = std::int64_t{0}](double x) mutable {
    return at++ == i && std::isfinite(truth = x);
  };
  if (ir::is_complex(computed.got.dtype()) || !find_element(computed.truth, is_finite_here)) return "";
  const bool overflows = std::abs(truth) >= core::float_format(computed.got.dtype()).overflow();
  return fmt::format("; the truth is {}{}", number_at(computed.truth, i),
                     overflows ? fmt::format(", beyond {}", ir::info(computed.got.dtype()).name) : "");
}

/// The text that says of which operands an element was made, and its truth.
std::string made_from(const Computed& computed, std::int64_t element) {
  const ir::Graph& graph = computed.segment.graph;
  const ir::Node& node = graph.nodes().back();
  const bool is_alone = graph.nodes().size() == 1 && is_by_element(node.op);
  const std::string from =
      is_alone ? expression(node, computed, element) : function_of(node.op) + " of " + described(operands_of(computed));
  return from + beside_truth(computed, element);
}

bool has_kind(const compare::Comparison& local, NonFinite kind) {
  return kind == NonFinite::nan ? local.n_nan_expected + local.n_nan_got > 0
                                : local.n_inf_expected + local.n_inf_got > 0;
}

}  // namespace

void add_origins(cases::CaseResult& result, const Computed& computed, const Specials& specials) {
  for (const NonFinite kind : {NonFinite::nan, NonFinite::infinity}) {
    const SpecialElements& found = specials[kind == NonFinite::nan ? 0 : 1];
    const bool is_fed = found.special == cases::Special::input && kind == NonFinite::nan;
    if (!cases::is_made(found.special) && !is_fed) continue;
    if (std::ranges::find(result.non_finite, kind, &cases::NonFiniteOrigin::kind) != result.non_finite.end()) continue;
    const auto element = static_cast<std::int64_t>(found.first);
    result.non_finite.push_back({.kind = kind,
                                 .node = computed.name,
                                 .element = element,
                                 .from = made_from(computed, element),
                                 .special = found.special,
                                 .elements = found.count});
  }
}

void note_origins(cases::CaseResult& result) {
  for (cases::NonFiniteOrigin& origin : result.non_finite) {
    std::set<std::size_t> heirs;
    for (const cases::NodeResult& node : result.nodes)
      if (node.special.of == cases::Special::inherited && has_kind(node.local, origin.kind)) heirs.insert(node.node);
    origin.heirs = heirs.size();
    result.notes.push_back(to_text(origin));
  }
}

std::string to_text(const cases::NonFiniteOrigin& origin) {
  using core::terminal::counted;
  std::string text = fmt::format("first {}: node '{}' ({}), {}", origin.kind == NonFinite::nan ? "NaN" : "infinity",
                                 origin.node, ir::enum_name(origin.special), counted(origin.elements, "element"));
  if (origin.heirs > 0) text += fmt::format(", {} inherit", counted(origin.heirs, "node"));
  if (origin.heirs == 1) text += 's';
  return text + fmt::format("; element {} from {}", origin.element, origin.from);
}

}  // namespace plumb::parity::attribution
