#pragma once

// How an OpSchema follows from the op's struct. For files that make schemas; op_list.cpp makes those of ir/ops:
//
//     template const plumb::ir::OpSchema& plumb::ir::schema<YourOp>();

#include "ir/loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir {
namespace detail {

template <class E>
std::vector<std::string_view> choices(const E& value) {
  if constexpr (std::is_enum_v<E> && !std::is_same_v<E, DType>) {
    const auto names = enum_names(value);
    return {names.begin(), names.end()};
  } else {
    return {};
  }
}

template <OpDefinition T>
std::vector<FieldInfo> field_infos() {
  std::vector<FieldInfo> infos;
  const T value{};
  const auto one = [&](const auto& f) {
    const auto& held = value.*f.member;
    infos.push_back({f.name, attribute_kind(held), f.doc, f.presence, choices(held)});
  };
  std::apply([&](const auto&... f) { (one(f), ...); }, T::fields);
  return infos;
}

template <OpDefinition T>
Attributes write(const Op& op) {
  Attributes out;
  const T& value = op.as<T>();
  const auto one = [&](const auto& f) {
    if (auto attribute = to_attribute(value.*f.member)) out.emplace(f.name, std::move(*attribute));
  };
  std::apply([&](const auto&... f) { (one(f), ...); }, T::fields);
  return out;
}

template <OpDefinition T>
Op read(const Attributes& in) {
  T value;
  std::size_t used = 0;
  const auto one = [&](const auto& f) {
    const auto found = in.find(f.name);
    require(found != in.end() || f.presence == Presence::optional, "attribute '", f.name, "' is missing");
    if (found == in.end()) return;
    try {
      from_attribute(found->second, value.*f.member);
    } catch (const Error& error) {
      fail("attribute '", f.name, "' ", error.what());
    }
    ++used;
  };
  std::apply([&](const auto&... f) { (one(f), ...); }, T::fields);
  if (used != in.size())
    for (const auto& given : in) {
      const bool known = std::apply([&](const auto&... f) { return ((f.name == given.first) || ...); }, T::fields);
      require(known, T::name, " has no attribute '", given.first, "'");
    }
  return value;
}

/// The value of the bool attribute called `name`.
template <OpDefinition T>
bool flag(const T& op, std::string_view name) {
  bool value = false, found = false;
  const auto one = [&](const auto& f) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(op.*f.member)>, bool>)
      if (f.name == name) {
        value = op.*f.member;
        found = true;
      }
  };
  std::apply([&](const auto&... f) { (one(f), ...); }, T::fields);
  require(found, T::name, " has no bool attribute '", name, "'");
  return value;
}

/// The operands' names, given how many there are. Throws Error when the op does
/// not take that many.
template <OpDefinition T>
std::vector<std::string_view> operands(const Op& op, std::size_t count) {
  std::vector<std::string_view> names;
  bool repeats = false;
  for (const Input& input : T::inputs) {
    if (!input.when.empty() && !flag(op.as<T>(), input.when)) continue;
    names.push_back(input.name);
    repeats = input.repeated;
  }
  if (repeats && count > names.size()) names.resize(count, names.back());
  require(names.size() == count, "takes ", repeats ? "at least " : "", names.size(),
          names.size() == 1 ? " input" : " inputs", ", given ", count);
  return names;
}

template <OpDefinition T>
Cost cost(const Op& op, Types in, Types out) {
  if constexpr (requires(const T& t) { t.cost(in, out); }) {
    return op.as<T>().cost(in, out);
  } else {
    double elements = 0;
    for (const TensorType& type : out) elements += static_cast<double>(type.shape.elements());
    return {elements, 0};
  }
}

template <OpDefinition T>
Loops loops(const Op& op, Types in, Types out) {
  if constexpr (requires(const T& t) { t.loops(in, out); }) {
    return op.as<T>().loops(in, out);
  } else {
    return {};
  }
}

template <OpDefinition T>
std::string_view function(const Op& op) {
  if constexpr (requires(const T& t) { enum_name(t.function); })
    return enum_name(op.as<T>().function);
  else
    return T::name;
}

template <OpDefinition T>
bool saturates(const Op& op) {
  if constexpr (requires(const T& t) { t.saturates(); })
    return op.as<T>().saturates();
  else
    return false;
}

template <OpDefinition T>
constexpr bool makes_values() {
  if constexpr (requires { T::makes_values; })
    return T::makes_values;
  else
    return false;
}

}  // namespace detail

template <OpDefinition T>
const OpSchema& schema() {
  static constexpr OpSchema instance = {
      .name = T::name,
      .summary = T::summary,
      .formula = T::formula,
      .tier = T::tier,
      .inputs = T::inputs,
      .outputs = T::outputs,
      .checks = T::checks,
      .fields = detail::field_infos<T>,
      .makes_values = detail::makes_values<T>(),
      .infer = [](const Op& op, Types in) { return op.as<T>().infer(in); },
      .error_class = [](const Op& op) { return op.as<T>().error_class(); },
      .cost = detail::cost<T>,
      .loops = detail::loops<T>,
      .function = detail::function<T>,
      .saturates = detail::saturates<T>,
      .operands = detail::operands<T>,
      .write = detail::write<T>,
      .read = detail::read<T>,
      .defaults = [] { return Op(T{}); },
      .equal = [](const Op& a, const Op& b) { return a.as<T>() == b.as<T>(); },
  };
  return instance;
}

}  // namespace plumb::ir
