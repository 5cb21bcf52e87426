#pragma once

#include "ir/attribute.hpp"
#include "ir/formats/json.hpp"
#include "ir/tensor.hpp"

namespace plumb::ir::formats {

/// The type that "f32[2, 3]" names. Throws Error when it is not a type a graph may hold.
TensorType parse_type(std::string_view text);

/// The elements in row-major order as "values" has them. Throws Error when there are not
/// exactly as many as the type wants, before anything is allocated, or when one of them
/// does not fit: a float may round, but not to infinity.
Tensor tensor_from_values(const TensorType& type, const Json& values);
JsonArray values_of(const TensorView& tensor);

/// The unit of each element's last digit in "values", part by part for complex numbers: 0.001 of 2.500. It is 0 for
/// exact elements: whole numbers without point or exponent, infinities and NaN. `type` and the result are f64 or
/// c128.
Tensor last_digits_from_values(const TensorType& type, const Json& values);

/// Elements to the digits that last_digits_from_values() gave for them.
JsonArray values_of(const TensorView& tensor, const TensorView& last_digits);

/// The elements' bytes as "data" has them: base64 (RFC 4648, with padding).
Bytes bytes_from_base64(std::string_view text);
std::string base64_of(std::span<const std::byte> bytes);
Tensor tensor_from_bytes(const TensorType& type, std::span<const std::byte> bytes);

/// Adds "values" or, where those are many or would not give the same bytes back, "data".
void add_elements(JsonObject& object, const TensorView& tensor);

/// A real attribute or parameter: a number, or "inf", "-inf" or "nan".
std::optional<double> real_of(const Json& json);
Json json_of(double x);

}  // namespace plumb::ir::formats
