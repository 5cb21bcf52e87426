// Reads what --plant says.
#include "parity/cli/planting/plants.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "ir/error.hpp"
#include "ir/raw/glob.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli {
namespace {

/// Faults that a device has, and the numbers of them: from more than 0 to `most`, `usual` where none is said; 0 as
/// `most` of one that has none.
struct Doing {
  std::string_view name;
  Plant::Kind kind;
  double usual, most;
  std::string_view what;  ///< the number
};

constexpr double most_seconds = 86400, most_attempts = 1000;
constexpr std::array doings = {
    Doing{"nan", Plant::Kind::nan, 0, 0, ""},
    Doing{"crash", Plant::Kind::crash, 0, 0, ""},
    Doing{"flicker", Plant::Kind::flicker, 0.5, 1, "a probability above 0 and up to 1"},
    Doing{"lost", Plant::Kind::lost, 1, most_attempts, "a number of attempts, 1 to 1000"},
    Doing{"hang", Plant::Kind::hang, 0, most_seconds, "seconds, above 0 and up to 86400"},
};
constexpr Doing share = {"", Plant::Kind::result, 1, 1e6, "a share of the fault, above 0 and up to 1e6"};

double number_of(const std::string& text, const std::optional<std::string>& given, const Doing& doing) {
  if (!given) {
    ir::require(doing.most == 0 || doing.usual != 0, "--plant ", text, ": wanted ", doing.what, " behind '='");
    return doing.usual;
  }
  ir::require(doing.most != 0, "--plant ", text, ": ", doing.name, " has no number");
  double number = 0;
  const char* const end = given->data() + given->size();
  const auto [stopped, problem] = std::from_chars(given->data(), end, number);
  const bool is_good = problem == std::errc() && stopped == end && number > 0 && number <= doing.most &&
                       (doing.kind != Plant::Kind::lost || number == std::floor(number));
  ir::require(is_good, "--plant ", text, ": wanted ", doing.what, ", found '", *given, "'");
  return number;
}

}  // namespace

bool Plant::is_at(const ir::Node& node) const { return ir::raw::glob_matches(glob, node.label); }

std::string Plant::nowhere() const { return ir::cat("--plant ", text, ": no node's label matches"); }

std::vector<std::string> plant_names() {
  std::vector<std::string> names;
  for (const Doing& one : doings) names.emplace_back(one.name);
  for (const power::faults::Fault& fault : power::faults::all_faults()) names.emplace_back(fault.name);
  return names;
}

Plant parse_plant(const std::string& text) {
  const std::size_t at = text.find('@');
  ir::require(at != text.npos && at != 0 && at + 1 < text.size(), "--plant ", text, ": wanted FAULT[=ARG]@GLOB");
  std::string name = text.substr(0, at);
  std::optional<std::string> given;
  if (const std::size_t equals = name.find('='); equals != name.npos) {
    given = name.substr(equals + 1);
    name.erase(equals);
  }
  Plant plant{.text = text, .glob = text.substr(at + 1)};
  for (const Doing& one : doings) {
    if (one.name != name) continue;
    plant.kind = one.kind;
    plant.number = number_of(text, given, one);
    return plant;
  }
  for (const power::faults::Fault& fault : power::faults::all_faults()) {
    if (fault.name != name) continue;
    plant.fault = &fault;
    plant.number = number_of(text, given, share);
    return plant;
  }
  ir::fail("--plant ", text, ": there is no fault '", name, "'", core::did_you_mean(name, plant_names()),
           "; `plumb power --list` lists those of results");
}

}  // namespace plumb::parity::cli
