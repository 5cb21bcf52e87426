// Tensors and their types as text: nested numbers by dtype, to the digits written, or base64 of the bytes.
#include "ir/formats/tensor_json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>

#include "ir/convert.hpp"

namespace plumb::ir::formats {
namespace {

constexpr std::int64_t most_written_values = 256;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == text.npos ? std::string_view{} : text.substr(first, last - first + 1);
}

std::int64_t parse_extent(std::string_view text) {
  std::int64_t extent = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), extent);
  require(problem != std::errc::result_out_of_range, "the extent ", text, " does not fit an i64");
  require(problem == std::errc{} && stop == text.data() + text.size(), "'", text, "' is not an extent");
  return extent;
}

TensorType parse_type_or_throw(std::string_view text) {
  const auto open = text.find('[');
  require(open != text.npos && text.ends_with(']'), "must be a dtype and extents in brackets, as f32[2, 3]");
  const auto dtype = find_dtype(text.substr(0, open));
  require(dtype.has_value(), "no such dtype: '", text.substr(0, open), "'");
  TensorType type{*dtype, {}};
  auto rest = trimmed(text.substr(open + 1, text.size() - open - 2));
  while (!rest.empty()) {
    require(type.shape.rank() < max_rank, "has more than ", max_rank, " extents");
    const auto comma = rest.find(',');
    type.shape.push_back(parse_extent(trimmed(rest.substr(0, comma))));
    if (comma == rest.npos) break;
    rest = trimmed(rest.substr(comma + 1));
    require(!rest.empty(), "ends in a comma");
  }
  check_type(type);
  return type;
}

template <class T>
T integer_from(const Json& json) {
  const auto* x = json.whole();
  require(x != nullptr, "must be a whole number, got ", json.kind());
  require(*x >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
              *x <= static_cast<std::int64_t>(std::numeric_limits<T>::max()),
          *x, " does not fit ", dtype_of<T>);
  return static_cast<T>(*x);
}

template <class T>
T real_from(const Json& json) {
  if (const auto* whole = json.whole()) {
    const T rounded = convert_value<T>(*whole);
    require(std::isfinite(static_cast<double>(rounded)), *whole, " does not fit ", dtype_of<T>);
    return rounded;
  }
  const auto x = real_of(json);
  require(x.has_value(), "must be a number, \"inf\", \"-inf\" or \"nan\", got ", json.kind());
  const T rounded = convert_value<T>(*x);
  require(!std::isfinite(*x) || std::isfinite(static_cast<double>(rounded)), *x, " does not fit ", dtype_of<T>);
  return rounded;
}

template <class T>
T element_from(const Json& json) {
  if constexpr (std::is_same_v<T, bool>) {
    if (const auto* x = json.boolean()) return *x;
    const auto* bit = json.whole();
    require(bit != nullptr && (*bit == 0 || *bit == 1), "must be true, false, 1 or 0");
    return *bit == 1;
  } else if constexpr (is_integer(dtype_of<T>)) {
    return integer_from<T>(json);
  } else if constexpr (is_complex(dtype_of<T>)) {
    using Part = typename T::value_type;
    const auto* parts = json.array();
    require(parts != nullptr && parts->size() == 2, "must be a pair of numbers [re, im]");
    return T(real_from<Part>((*parts)[0]), real_from<Part>((*parts)[1]));
  } else {
    return real_from<T>(json);
  }
}

/// The number as JSON: whole where it is, else in the fewest digits that give this T back.
template <class T>
Json number_of(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(x);
  } else {
    const auto wide = static_cast<double>(x);
    if (!std::isfinite(wide)) return json_of(wide);
    if (wide == std::floor(wide) && std::abs(wide) < 0x1p53 && !(wide == 0 && std::signbit(wide)))
      return static_cast<std::int64_t>(wide);
    char digits[32];
    const auto end = std::to_chars(digits, std::end(digits), static_cast<float>(wide)).ptr;
    double brief = 0;
    std::from_chars(digits, end, brief);
    return static_cast<double>(convert_value<T>(brief)) == wide ? brief : wide;
  }
}

template <class T>
Json element_json(T x) {
  if constexpr (is_complex(dtype_of<T>)) {
    JsonArray pair;
    pair.push_back(number_of(x.real()));
    pair.push_back(number_of(x.imag()));
    return pair;
  } else if constexpr (std::is_same_v<T, bool>) {
    return x;
  } else {
    return number_of(x);
  }
}

/// The unit of a real's last digit, a power of ten; 0 where the number is exact.
double last_digit_of(const Json& json) {
  const auto* real = json.decimal();
  return real == nullptr || real->last_digit == JsonReal::any_digit ? 0 : std::pow(10.0, real->last_digit);
}

/// A real to the digit whose unit is `last`.
Json number_to_digit(double x, double last) {
  if (!(last > 0) || !std::isfinite(x)) return number_of(x);
  return JsonReal{x, static_cast<std::int32_t>(std::lround(std::log10(last)))};
}

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The six bits of a base64 digit.
unsigned bits_of(char digit) {
  const auto bits = base64_digits.find(digit);
  require(bits != base64_digits.npos, "is not base64");
  return static_cast<unsigned>(bits);
}

}  // namespace

TensorType parse_type(std::string_view text) try { return parse_type_or_throw(text); } catch (const Error& error) {
  fail("type '", text.substr(0, 100), "': ", error.what());
}

Tensor tensor_from_values(const TensorType& type, const Json& values) {
  const auto* array = values.array();
  require(array != nullptr, "values must be an array, got ", values.kind());
  require(static_cast<std::int64_t>(array->size()) == type.shape.elements(), "values has ", array->size(),
          " elements, ", type, " wants ", type.shape.elements());
  Tensor tensor(type);
  visit_any(type.dtype, [&]<class T>(T) {
    const auto elements = tensor.as<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) try {
        elements[i] = element_from<T>((*array)[i]);
      } catch (const Error& error) {
        fail("values[", i, "]: ", error.what());
      }
  });
  return tensor;
}

JsonArray values_of(const TensorView& tensor) {
  JsonArray values;
  visit_any(tensor.dtype(), [&]<class T>(T) {
    for (const T x : tensor.as<T>()) values.push_back(element_json(x));
  });
  return values;
}

Tensor last_digits_from_values(const TensorType& type, const Json& values) {
  Tensor digits(type);
  const JsonArray& array = *values.array();
  if (type.dtype == DType::f64)
    std::ranges::transform(array, digits.as<double>().begin(), last_digit_of);
  else
    std::ranges::transform(array, digits.as<std::complex<double>>().begin(), [](const Json& pair) {
      return std::complex<double>(last_digit_of((*pair.array())[0]), last_digit_of((*pair.array())[1]));
    });
  return digits;
}

JsonArray values_of(const TensorView& tensor, const TensorView& last_digits) {
  JsonArray values;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (tensor.dtype() == DType::f64) {
      values.push_back(number_to_digit(tensor.as<double>()[at], last_digits.as<double>()[at]));
      continue;
    }
    const auto x = tensor.as<std::complex<double>>()[at], last = last_digits.as<std::complex<double>>()[at];
    JsonArray pair;
    pair.push_back(number_to_digit(x.real(), last.real()));
    pair.push_back(number_to_digit(x.imag(), last.imag()));
    values.emplace_back(std::move(pair));
  }
  return values;
}

Bytes bytes_from_base64(std::string_view text) {
  require(text.size() % 4 == 0, "base64 text has ", text.size(), " characters, wanted a multiple of 4");
  Bytes bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
    unsigned word = 0;
    for (std::size_t k = 0; k < 4; ++k) word = word << 6 | (k < 4 - padding ? bits_of(text[i + k]) : 0);
    require(padding == 0 || (word & ((1u << 8 * padding) - 1)) == 0, "base64 text has stray bits at its end");
    for (std::size_t k = 0; k < 3 - padding; ++k) bytes.push_back(static_cast<std::byte>(word >> (16 - 8 * k) & 0xFF));
  }
  return bytes;
}

std::string base64_of(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? std::to_integer<unsigned>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? base64_digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

Tensor tensor_from_bytes(const TensorType& type, std::span<const std::byte> bytes) {
  require(bytes.size() == type.bytes(), "data has ", bytes.size(), " bytes, ", type, " wants ", type.bytes());
  if (type.dtype == DType::boolean)
    for (const std::byte byte : bytes)
      require(byte <= std::byte{1}, "a bool must be 0 or 1, got ", std::to_integer<int>(byte));
  Tensor tensor(type);
  std::ranges::copy(bytes, tensor.bytes().begin());
  return tensor;
}

void add_elements(JsonObject& object, const TensorView& tensor) {
  if (tensor.elements() <= most_written_values) {
    Json values(values_of(tensor));
    if (std::ranges::equal(tensor_from_values(tensor.type(), values).bytes(), tensor.bytes())) {
      object.emplace_back("values", std::move(values));
      return;
    }
  }
  object.emplace_back("data", base64_of(tensor.bytes()));
}

std::optional<double> real_of(const Json& json) {
  if (const auto* real = json.real()) return *real;
  if (const auto* whole = json.whole()) return static_cast<double>(*whole);
  const auto* word = json.text();
  if (word == nullptr) return std::nullopt;
  if (*word == "inf") return std::numeric_limits<double>::infinity();
  if (*word == "-inf") return -std::numeric_limits<double>::infinity();
  if (*word == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

Json json_of(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

}  // namespace plumb::ir::formats
