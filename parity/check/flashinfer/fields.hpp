#pragma once

// Objects of JSON that strangers wrote: every member is known, there, and of its kind, or an error says where not.

#include <string>
#include <vector>

#include "ir/formats/json.hpp"

namespace plumb::parity::check::flashinfer {

/// The members of a JSON object, asked for by name. It refers to the JSON that it was made of. All members throw Error,
/// which begins with where the object is.
class Fields {
 public:
  /// Throws Error where the JSON is no object or has a member that is not known, with the nearest one that is.
  Fields(const ir::formats::Json& json, std::string where, const std::vector<std::string>& known);

  /// The member; null where there is none, or null stands in its place.
  const ir::formats::Json* find(std::string_view name) const;
  const ir::formats::Json& need(std::string_view name) const;

  /// A text that is not empty.
  const std::string& text(std::string_view name) const;
  /// A whole number from 0 to 2^40, as an extent is.
  std::int64_t extent(std::string_view name) const;
  /// A list of texts that are not empty.
  std::vector<std::string> texts(std::string_view name) const;
  /// An object whose members have names of their own.
  const ir::formats::JsonObject& object(std::string_view name) const;

  const std::string& where() const { return where_; }

 private:
  const ir::formats::Json& json_;
  std::string where_;
};

/// A whole number from 0 to 2^40. Throws Error, which calls it `what`.
std::int64_t extent_of(const ir::formats::Json& json, const std::string& what);

/// A name in an error: in quotes, without control characters, not too long.
std::string in_quotes(std::string_view name);

}  // namespace plumb::parity::check::flashinfer
