#pragma once

// Which tensor of one file is which of the other: by name, after what the user says of names.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/formats/regular_expression.hpp"

namespace plumb::parity::studies::closeness {

/// One s/RE/TEXT/ or s/RE/TEXT/g, as sed has it: \1 is a group of RE2, & all of the match, and any character may take
/// the place of '/'.
class Renaming {
 public:
  /// Throws Error, which calls the text by `option`, where it is none.
  Renaming(std::string_view text, std::string_view option);

  std::string operator()(const std::string& name) const;

 private:
  std::string by_;
  std::optional<ir::formats::RegularExpression> expression_;
  bool is_global_ = false;
};

/// Names of one file by names of the other.
using NamePairs = std::vector<std::pair<std::string, std::string>>;

/// Reads lines "NAME_OF_A<TAB>NAME_OF_B"; empty lines are passed over. Throws Error "FILE:LINE: ..." for anything else,
/// and for a name that is there twice.
NamePairs parse_names(std::string_view text, const std::string& file);

/// A tensor that both files have.
struct Pairing {
  std::string name;  ///< after renaming
  std::string a, b;  ///< in the files
};

struct Pairings {
  std::vector<Pairing> pairs = {};  ///< in the order of a's names
  std::vector<std::string> only_a = {}, only_b = {};
};

/// Pairs names: first those that `told` pairs, which must be there, then equal ones once all renamings were made, in
/// their order, in both files. Two files of one tensor each are a pair where either name is empty. Throws Error where
/// `told` has a name that is in neither file, or two names of a file become one.
Pairings pair(const std::vector<std::string>& a, const std::vector<std::string>& b, const NamePairs& told,
              const std::vector<Renaming>& renamings);

/// Whether a name comes before another where nothing else says so: numbers in names count as numbers, layer2 before
/// layer10.
bool comes_before(std::string_view one, std::string_view other);

}  // namespace plumb::parity::studies::closeness
