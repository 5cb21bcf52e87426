#pragma once

// Words that may be the value of a flag.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace plumb::parity::cli {

struct Suggestion {
  std::string word, meaning;
};

/// What a command line has said so far, of use for the words to come.
struct GivenWords {
  std::vector<std::string> files;   ///< and whatever else was given without a flag
  std::vector<std::string> shapes;  ///< of --shape
};

/// The values that an option may have, by its type in help: one of {a,b}, OP, DEVICE, TAGS, FAULT, FAULTS, LABEL,
/// LABELS, KNOB=VALUE, TOPIC; nothing of other types. Of a list, `begun` may have words before a comma, which stand
/// before each suggestion, too. Labels are those of the graphs on the line, and graphs that cannot be read, or not
/// within 120 ms, have none.
std::vector<Suggestion> values_of(const CLI::Option& option, const std::string& begun, const GivenWords& given);

}  // namespace plumb::parity::cli
