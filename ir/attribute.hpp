#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "ir/dtype.hpp"

namespace plumb::ir {

using Bytes = std::vector<std::byte>;

/// The value of an attribute as graph files and records hold it. Enums and
/// dtypes travel by name; an absent optional attribute has no entry at all.
using Attribute =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, Bytes>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

/// The kind of value that an attribute takes, in the words of ops.md 1.3.
template <class T>
constexpr std::string_view attribute_kind(const T&) {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return "int";
  else if constexpr (std::is_same_v<T, double>)
    return "real";
  else if constexpr (std::is_same_v<T, DType>)
    return "dtype";
  else if constexpr (std::is_enum_v<T>)
    return "enum";
  else if constexpr (std::is_same_v<T, std::string>)
    return "string";
  else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
    return "ints";
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return "reals";
  else if constexpr (std::is_same_v<T, std::optional<std::int64_t>>)
    return "int?";
  else if constexpr (std::is_same_v<T, std::optional<double>>)
    return "real?";
  else if constexpr (std::is_same_v<T, std::optional<DType>>)
    return "dtype?";
  else {
    static_assert(std::is_same_v<T, Bytes>, "not the type of an attribute");
    return "bytes";
  }
}

/// The names of an enum attribute: `enum_names(E)` beside the enum, in order.
template <class E>
std::string_view enum_name(E value) {
  return enum_names(E{})[static_cast<std::size_t>(value)];
}

/// The value that `enum_names(E)` calls `name`; nothing where there is none.
template <class E>
std::optional<E> enum_value(std::string_view name) {
  const auto names = enum_names(E{});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

/// How an attribute travels; nothing when it is absent.
template <class T>
std::optional<Attribute> to_attribute(const T& value) {
  if constexpr (std::is_same_v<T, DType>)
    return std::string(info(value).name);
  else if constexpr (std::is_enum_v<T>)
    return std::string(enum_name(value));
  else
    return value;
}
template <class T>
std::optional<Attribute> to_attribute(const std::optional<T>& value) {
  return value ? to_attribute(*value) : std::nullopt;
}

/// Reads an attribute into a field. Throws Error when its kind is wrong.
template <class T>
void from_attribute(const Attribute& attribute, T& value) {
  const auto get = [&]<class Stored>(const Stored*) -> const Stored& {
    const auto* stored = std::get_if<Stored>(&attribute);
    require(stored != nullptr, "must be of kind ", attribute_kind(T{}));
    return *stored;
  };
  if constexpr (std::is_same_v<T, DType>) {
    const auto& name = get(static_cast<const std::string*>(nullptr));
    const auto found = find_dtype(name);
    require(found.has_value(), "no such dtype: ", name);
    value = *found;
  } else if constexpr (std::is_enum_v<T>) {
    const auto& wanted = get(static_cast<const std::string*>(nullptr));
    const auto found = enum_value<T>(wanted);
    require(found.has_value(), "no such choice: ", wanted);
    value = *found;
  } else if constexpr (std::is_same_v<T, double>) {
    const auto* whole = std::get_if<std::int64_t>(&attribute);  // 1 is a real, too
    value = whole != nullptr ? static_cast<double>(*whole) : get(static_cast<const double*>(nullptr));
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    const auto* whole = std::get_if<std::vector<std::int64_t>>(&attribute);
    if (whole != nullptr)
      value.assign(whole->begin(), whole->end());
    else
      value = get(static_cast<const std::vector<double>*>(nullptr));
  } else {
    value = get(static_cast<const T*>(nullptr));
  }
}
template <class T>
void from_attribute(const Attribute& attribute, std::optional<T>& value) {
  from_attribute(attribute, value.emplace());
}

/// Whether an attribute must be given or may be left at its default.
enum class Presence { optional, required };

/// One attribute of an op: its wire name, where it lives, what it means.
template <class Op, class T>
struct Field {
  std::string_view name;
  T Op::*member;
  std::string_view doc;
  Presence presence = Presence::optional;

  constexpr Field(std::string_view field_name, T Op::*field, std::string_view meaning,
                  Presence needed = Presence::optional)
      : name(field_name), member(field), doc(meaning), presence(needed) {}
};

struct FieldInfo {
  std::string_view name, kind, doc;
  Presence presence;
  std::vector<std::string_view> choices;  ///< the names of an enum's values
};

}  // namespace plumb::ir
