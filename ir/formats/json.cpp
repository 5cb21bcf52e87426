// Builds JSON values from nlohmann's SAX events, within limits, and writes them back with the digits that they had.
#include "ir/formats/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace plumb::ir::formats {
namespace {

constexpr std::size_t longest_message = 300;

/// Without nlohmann's tag "[json.exception.parse_error.101] ", and without the whole of
/// a long token.
std::string message_of(const nlohmann::json::exception& error) {
  const std::string_view text = error.what();
  const auto tag = text.find("] ");
  std::string message(tag == text.npos ? text : text.substr(tag + 2));
  if (message.size() > longest_message) message.replace(longest_message, message.npos, "...");
  return message;
}

/// A number as the file has it: nlohmann puts the decimal mark of the process's locale in the place of the point.
std::string with_point(std::string token) {
  const std::size_t mark = token.find_first_not_of("0123456789+-eE");
  if (mark != token.npos) token[mark] = '.';
  return token;
}

/// The power of ten that the last digit of a number counts: -3 for 2.500 and for 25e-3.
std::int32_t last_digit_of(std::string_view text) {
  constexpr std::int64_t least = -1000, most = 1000;  // far beyond what an f64 holds
  const auto e = std::min(text.find_first_of("eE"), text.size());
  const auto point = text.substr(0, e).find('.');
  const auto decimals = static_cast<std::int64_t>(point == text.npos ? 0 : e - point - 1);
  std::int64_t exponent = 0;
  if (e < text.size()) {
    const std::string_view power = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
    const auto problem = std::from_chars(power.data(), power.data() + power.size(), exponent).ec;
    if (problem != std::errc{}) exponent = power.starts_with('-') ? least : most;
  }
  return static_cast<std::int32_t>(std::clamp(std::clamp(exponent, least, most) - decimals, 2 * least, most));
}

/// Builds a Json from the events of nlohmann's parser, which recurses neither.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return add(Json{}); }
  bool boolean(bool x) override { return add(x); }
  bool number_integer(number_integer_t x) override { return add(std::int64_t{x}); }
  bool number_unsigned(number_unsigned_t x) override {
    if (x > static_cast<std::uint64_t>(INT64_MAX)) refuse("the number ", x, " does not fit an i64");
    return add(static_cast<std::int64_t>(x));
  }
  bool number_float(number_float_t x, const string_t& token) override {
    const std::string text = with_point(token);
    if (text.find_first_of(".eE") == text.npos) refuse("the number ", text.substr(0, 40), " does not fit an i64");
    return add(JsonReal{x, last_digit_of(text)});
  }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { refuse("binary data"); }
  bool start_object(std::size_t) override { return open(JsonObject{}); }
  bool start_array(std::size_t) override { return open(JsonArray{}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& text) override {
    Level& level = levels_.back();
    if (!level.keys.insert(text).second) refuse("the key '", text.substr(0, 80), "' is given twice");
    level.key = std::move(text);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    throw Error(message_of(error));
  }

  Json take() { return std::move(whole_); }

 private:
  struct Level {
    Json json;
    std::unordered_set<std::string> keys = {};
    std::string key = {};
  };

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    std::string where;
    for (const Level& level : levels_) {
      if (const auto* array = level.json.array())
        where += cat('[', array->size(), ']');
      else if (!level.key.empty())
        where += (where.empty() ? "" : ".") + level.key.substr(0, 80);
    }
    fail(where, where.empty() ? "" : ": ", parts...);
  }

  bool add(Json json) {
    if (++values_ > limits_.values) refuse("more than ", limits_.values, " values");
    if (levels_.empty()) {
      whole_ = std::move(json);
      return true;
    }
    Level& level = levels_.back();
    if (auto* array = std::get_if<Json::Held<JsonArray>>(&level.json.value))
      (*array)->push_back(std::move(json));
    else
      std::get<Json::Held<JsonObject>>(level.json.value)->emplace_back(std::move(level.key), std::move(json));
    return true;
  }
  bool open(Json json) {
    if (levels_.size() == limits_.depth) fail("nested deeper than ", limits_.depth, " levels");
    levels_.push_back({std::move(json)});
    return true;
  }
  bool close() {
    Json done = std::move(levels_.back().json);
    levels_.pop_back();
    return add(std::move(done));
  }

  JsonLimits limits_;
  std::size_t values_ = 0;
  std::vector<Level> levels_;
  Json whole_;
};

void write(std::string& out, const Json& json);

/// x to the digit that counts 10^last, as far as an f64 has digits: 2.500, 2.5e+20. What has neither point nor exponent
/// would be read as a whole number.
std::string to_digit(double x, int last) {
  constexpr int most_decimals = 20, most_digits = 17;
  char digits[400];
  const auto made = [&](std::chars_format format, int precision) {
    return std::string(digits, std::to_chars(digits, std::end(digits), x, format, precision).ptr);
  };
  if (last < 0 && last >= -most_decimals) return made(std::chars_format::fixed, -last);
  if (x == 0) return cat(std::signbit(x) ? "-0e" : "0e", last);
  const auto first = static_cast<int>(std::floor(std::log10(std::abs(x))));
  return made(std::chars_format::scientific, std::clamp(first - last, 0, most_digits - 1));
}

void write(std::string& out, const JsonReal& real) {
  const double x = real.value;
  require(std::isfinite(x), "a JSON number must be finite, got ", x);
  char digits[32];
  const auto end = std::to_chars(digits, std::end(digits), x).ptr;
  if (real.last_digit != JsonReal::any_digit) {
    const std::string exact = to_digit(x, real.last_digit);
    double again = 0;
    std::from_chars(exact.data(), exact.data() + exact.size(), again);
    if (again == x && exact.find_first_of(".e") != exact.npos) {
      out += exact;
      return;
    }
  }
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out += text;
  if (text.find_first_of(".e") == text.npos) out += ".0";  // so that it is read as a real again
}

void write(std::string& out, const std::string& text) {
  try {
    out += nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception& error) {
    throw Error(message_of(error));
  }
}

void write(std::string& out, const JsonArray& array) {
  out += '[';
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i != 0) out += ", ";
    write(out, array[i]);
  }
  out += ']';
}

void write(std::string& out, const JsonObject& object) {
  out += '{';
  for (std::size_t i = 0; i < object.size(); ++i) {
    if (i != 0) out += ", ";
    write(out, object[i].first);
    out += ": ";
    write(out, object[i].second);
  }
  out += '}';
}

void write(std::string& out, const Json& json) {
  std::visit(
      [&]<class T>(const T& x) {
        if constexpr (std::is_same_v<T, std::nullptr_t>)
          out += "null";
        else if constexpr (std::is_same_v<T, bool>)
          out += x ? "true" : "false";
        else if constexpr (std::is_same_v<T, std::int64_t>)
          out += std::to_string(x);
        else if constexpr (std::is_same_v<T, JsonReal>)
          write(out, x);
        else
          write(out, *x);
      },
      json.value);
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  const auto* members = object();
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, key, &std::pair<std::string, Json>::first);
  return found != members->end() ? &found->second : nullptr;
}

std::string_view Json::kind() const {
  constexpr std::string_view names[] = {"null",     "a bool",   "a whole number", "a real number",
                                        "a string", "an array", "an object"};
  return names[value.index()];
}

Json parse_json(std::string_view text, const JsonLimits& limits) {
  require(text.size() <= limits.bytes, "the text has ", text.size(), " bytes, at most ", limits.bytes, " are read");
  require(text.find_first_not_of(" \t\r\n") != text.npos, "unexpected end of input: there is nothing in it");
  // nlohmann takes the byte 0 for the end, and would leave unread what follows.
  const std::size_t zero = text.find('\0');
  require(zero == text.npos, "a byte that is 0, at ", zero);
  Builder builder(limits);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string to_text(const Json& json) {
  std::string out;
  write(out, json);
  return out;
}

}  // namespace plumb::ir::formats
