// The shapes of an op's operands, as its header describes them: letters, lists of extents, and relations among them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ir/fill.hpp"
#include "ir/op.hpp"

namespace plumb::parity::check {

/// Extents by letter.
using Letters = std::map<std::string, std::int64_t, std::less<>>;

/// One product of an extent: a number times a letter over another, "4H" or "C/g". Without letters it is the number.
struct Term {
  std::int64_t factor = 1;
  std::string letter = {}, divisor = {};
};

/// One entry between the brackets of a shape: several extents ("D..") or one, a sum of terms ("k-1").
struct Entry {
  std::string list = {};  ///< name of the list; "" for a single extent
  std::vector<Term> terms = {};

  /// The extent, where all letters are known, divisions leave no rest and it is not negative. Not for lists.
  std::optional<std::int64_t> extent(const Letters& letters) const;
};

/// One way to describe the shape of an operand.
struct Form {
  std::vector<Entry> entries = {};
  std::string like = {};  ///< the operand whose shape it has instead; "" for none
  bool broadcasts = false;
};

struct Operand {
  std::string name;
  ir::DTypes dtypes;
  std::string like;  ///< the operand whose dtype it shares; "" for none
  std::vector<Form> forms;
};

/// How many extents a list has.
struct Length {
  std::size_t least = 0, most = ir::max_rank;
};

using Random = std::mt19937_64;

/// All that is known of the operands of one op with its attributes.
struct Sketch {
  std::vector<Operand> operands = {};
  Letters fixed = {};                                            ///< letters that attributes decide
  Letters multiples = {};                                        ///< letters that must be multiples of a number
  Letters least = {};                                            ///< and that must not be less than one
  std::map<std::string, std::string, std::less<>> divides = {};  ///< letters by those that they must divide
  std::map<std::string, Length, std::less<>> lengths = {};       ///< how long lists are
  std::map<std::string, std::vector<std::int64_t>, std::less<>> given = {};  ///< lists whose extents are decided
  std::size_t more_axes = 0;  ///< that lists behind ".." have beyond their usual length, where they may
  std::map<std::string, ir::Fill, std::less<>> fills = {};  ///< for operands that normal numbers do not suit
  std::string steps = {};  ///< the letter that counts steps of a recurrence, of which a very long row has too many
  /// Amends shapes that were drawn, where entries cannot say all.
  std::function<void(std::vector<ir::Shape>&, Random&)> amend = {};

  Operand& operand(std::string_view name);
  /// Replaces the forms of an operand, if the op has it.
  void reshape(std::string_view name, std::string_view text);
  /// Every letter and list, in the order in which operands have them.
  std::vector<std::string> names() const;
};

/// The name under which a list behind a letter, the second ".." of "[.., n, ..]", is kept.
inline constexpr std::string_view trailing_list = "..behind";

/// Reads "[.., M, K]", "as x", "broadcasts to [M, N]", or several of them with "or" between. Throws Error for other
/// text.
std::vector<Form> parse_forms(std::string_view text);

/// The sketch of an op: from the text of its operands, and from what its attributes add. Throws Error where the op has
/// operands that need to be named instead.
Sketch sketch_of(const ir::Op& op, Random& random);

/// Has an operand be of this shape, which decides letters and lists; those that it says nothing of stay open. False
/// where none of its forms can be that shape.
bool bind(Sketch& sketch, std::size_t operand, const ir::Shape& shape, Random& random);

/// Adds to a sketch what attributes and constraints of single ops say and the text of operands does not.
void adapt(const ir::Op& op, Sketch& sketch, Random& random);

}  // namespace plumb::parity::check
