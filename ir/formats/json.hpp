// JSON values for hostile files: integers apart from reals, members in order, bounded depth and count.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/error.hpp"

namespace plumb::ir::formats {

struct Json;

using JsonArray = std::vector<Json>;

/// Members in the order of the file; no key twice.
using JsonObject = std::vector<std::pair<std::string, Json>>;

/// A number with a fraction or an exponent, and how finely it is written.
struct JsonReal {
  static constexpr std::int32_t any_digit = INT32_MIN;

  double value = 0;
  std::int32_t last_digit = any_digit;  ///< the power of ten that its last digit counts; any_digit: as many as it takes
};

/// A JSON value. Whole numbers and reals stay apart; texts, arrays and objects are held
/// through a pointer, so that an array of numbers is small.
struct Json {
  template <class T>
  using Held = std::unique_ptr<T>;

  std::variant<std::nullptr_t, bool, std::int64_t, JsonReal, Held<std::string>, Held<JsonArray>, Held<JsonObject>>
      value;

  Json(std::nullptr_t = nullptr) : value(nullptr) {}
  Json(bool x) : value(x) {}
  Json(std::int64_t x) : value(x) {}
  Json(double x) : value(JsonReal{x}) {}
  Json(JsonReal x) : value(x) {}
  Json(std::string x) : value(std::make_unique<std::string>(std::move(x))) {}
  Json(std::string_view x) : Json(std::string(x)) {}
  Json(const char* x) : Json(std::string(x)) {}
  Json(JsonArray x) : value(std::make_unique<JsonArray>(std::move(x))) {}
  Json(JsonObject x) : value(std::make_unique<JsonObject>(std::move(x))) {}

  /// The value, if it is of that kind.
  const bool* boolean() const { return std::get_if<bool>(&value); }
  const std::int64_t* whole() const { return std::get_if<std::int64_t>(&value); }
  const double* real() const { return decimal() != nullptr ? &decimal()->value : nullptr; }
  const JsonReal* decimal() const { return std::get_if<JsonReal>(&value); }
  const std::string* text() const { return held<std::string>(); }
  const JsonArray* array() const { return held<JsonArray>(); }
  const JsonObject* object() const { return held<JsonObject>(); }

  /// The member called `key` of an object; null when there is none.
  const Json* find(std::string_view key) const;

  /// "a number", "an object": what it is, in a message.
  std::string_view kind() const;

 private:
  template <class T>
  const T* held() const {
    const auto* pointer = std::get_if<Held<T>>(&value);
    return pointer != nullptr ? pointer->get() : nullptr;
  }
};

/// The limits of a text, which may be hostile.
struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t values = std::size_t{8} << 20;
  std::size_t depth = 32;
};

/// Parses a text of RFC 8259. Throws Error, saying where, for anything else, for a key
/// given twice, and for a number outside the range of an i64 or f64.
Json parse_json(std::string_view text, const JsonLimits& limits = {});

/// The value on one line, reals to the digit that they were written to or, where that is not known, in the fewest
/// digits that give them back. Throws Error for non-finite reals and for text that is not UTF-8.
std::string to_text(const Json& json);

}  // namespace plumb::ir::formats
