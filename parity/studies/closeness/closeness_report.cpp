// Writes what a comparison found, the answer first.
#include "parity/studies/closeness/closeness_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/attribute.hpp"
#include "parity/core/json_number.hpp"
#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::studies::closeness {
namespace {

using core::terminal::Colour;
using core::terminal::counted;
using core::terminal::printable;
using core::terminal::short_number;
using Json = nlohmann::ordered_json;

std::vector<std::uint64_t> extents_of(const Compared& one) {
  return {one.type_a.shape.begin(), one.type_a.shape.end()};
}

std::string place_of(const Compared& one, std::uint64_t index) {
  return core::terminal::place_text(index, extents_of(one));
}

std::string name_of(const Compared& one) { return one.name.empty() ? "(no name)" : one.name; }

/// "off by 0.5, 3.2 times what is allowed", as far as there are numbers.
std::string distance_text(const ElementPair& pair) {
  if (std::isnan(pair.error)) return "one is a NaN";
  std::string text = "off by " + short_number(pair.error);
  if (std::isinf(pair.error)) text = "one is infinite";
  const double ratio = pair.ratio();
  if (std::isfinite(ratio) && ratio > 0 && std::isfinite(pair.error))
    text += fmt::format(", {} times the {} that is allowed", short_number(ratio), short_number(pair.allowed));
  if (pair.allowed == 0) text += ", and nothing is allowed";
  return text;
}

std::string element_line(const Compared& one, const ElementPair& pair) {
  return fmt::format("element {}: {} in A, {} in B, {}", place_of(one, pair.index), pair.a, pair.b,
                     distance_text(pair));
}

/// The reason why a tensor is not within its limit.
std::string trouble(const Compared& one) {
  if (one.standing == Standing::other) return one.why;
  std::string text =
      one.beyond > 0 ? fmt::format("{} of {} elements beyond; the worst is ", one.beyond, one.type_a.shape.elements())
                     : one.why;
  if (one.worst) text += (one.beyond > 0 ? "" : "; the worst is ") + element_line(one, *one.worst);
  return text;
}

/// "rtol 1.3e-06, atol 1e-05 of f32" of each dtype that was compared.
std::string rule_text(const Comparison& all) {
  if (!all.rule) return "policy " + printable(all.policy);
  std::set<ir::DType> said;
  std::string text;
  for (const Compared& one : all.tensors) {
    if (one.standing == Standing::other) continue;
    const ir::DType dtype = one.type_a.dtype;
    if (!said.insert(dtype).second) continue;
    text += fmt::format("{}{} of {}", text.empty() ? "" : "; ", to_text(*all.rule, dtype), ir::info(dtype).name);
  }
  return fmt::format("{}{}{}", source_of(all.rule->style), text.empty() ? "" : ", ", text);
}

std::string summary(const Comparison& all) {
  std::string text = counted(all.tensors.size(), "tensor") + ':';
  const char* separator = " ";
  for (const Standing standing : {Standing::within, Standing::beyond, Standing::other, Standing::unjudged}) {
    const std::size_t count = all.count(standing);
    if (count == 0 && standing != Standing::within) continue;
    const char* const words[] = {"within", "beyond", "of another type", "not judged"};
    text += fmt::format("{}{} {}", separator, count, words[static_cast<std::size_t>(standing)]);
    separator = ", ";
  }
  std::size_t equal = 0;
  for (const Compared& one : all.tensors)
    if (one.standing == Standing::within && one.differing == 0) ++equal;
  return text + fmt::format(" ({} equal in every bit), by {}\n", equal, rule_text(all));
}

/// "3 tensors of A have no partner: 'x', 'y', ..."
std::string lone_text(const std::vector<std::string>& names, const char* side) {
  constexpr std::size_t most_named = 6;
  if (names.empty()) return "";
  std::string text =
      fmt::format("{} of {} {} no partner:", counted(names.size(), "tensor"), side, names.size() == 1 ? "has" : "have");
  for (std::size_t i = 0; i < names.size() && i < most_named; ++i)
    text += fmt::format("{} '{}'", i == 0 ? "" : ",", printable(names[i]));
  return text + (names.size() > most_named ? ", ...\n" : "\n");
}

std::vector<std::string> cells_of(const Compared& one) {
  const bool is_compared = one.standing != Standing::other;
  std::string type = ir::cat(one.type_a);
  if (one.type_a != one.type_b) type += ir::cat(" / ", one.type_b);
  const auto worst = is_compared ? one.worst : std::nullopt;
  const double ratio = worst ? worst->ratio() : std::numeric_limits<double>::quiet_NaN();
  return {printable(name_of(one)),
          type,
          is_compared ? std::to_string(one.differing) : "-",
          is_compared ? std::to_string(one.beyond) : "-",
          worst ? place_of(one, worst->index) : "-",
          worst ? worst->a : "-",
          worst ? worst->b : "-",
          worst ? short_number(worst->error) : "-",
          short_number(std::isnan(one.of_tensor) ? ratio : one.of_tensor),
          std::string(ir::enum_name(one.standing))};
}

std::string table_of(const Comparison& all, const core::terminal::Style& style, std::size_t most_others) {
  const bool has_error = all.rule && all.rule->style == Style::ggml;
  core::terminal::FittedTable table({{.header = "tensor", .is_left = true},
                                     {.header = "type", .is_left = true, .goes = 2},
                                     {.header = "differ", .goes = 4},
                                     {.header = "beyond"},
                                     {.header = "worst", .is_left = true},
                                     {.header = "A", .goes = 3},
                                     {.header = "B", .goes = 3},
                                     {.header = "off by", .goes = 1},
                                     {.header = has_error ? "NMSE" : "ratio"},
                                     {.header = "standing", .is_left = true}});
  std::size_t others = 0, left_out = 0;
  for (const Compared& one : all.tensors) {
    const bool is_fine = one.standing == Standing::within;
    if (is_fine && ++others > most_others) {
      ++left_out;
      continue;
    }
    const Colour colour = one.standing == Standing::unjudged ? Colour::yellow : Colour::red;
    table.row(cells_of(one), is_fine ? Colour::none : colour);
  }
  std::string text;
  if (!table.empty())
    for (const std::string& line : table.lines(style)) text += line + '\n';
  return text + (left_out > 0 ? fmt::format("... {} more within\n", left_out) : "");
}

Json element_json(const Compared& one, const std::optional<ElementPair>& pair) {
  if (!pair) return nullptr;
  return {{"at", core::terminal::place_of(pair->index, extents_of(one))},
          {"a", pair->a},
          {"b", pair->b},
          {"error", core::json_number(pair->error)},
          {"allowed", core::json_number(pair->allowed)},
          {"ratio", core::json_number(pair->ratio())}};
}

Json tensor_json(const Compared& one) {
  return {{"name", one.name},
          {"a", {{"name", one.a}, {"type", ir::cat(one.type_a)}}},
          {"b", {{"name", one.b}, {"type", ir::cat(one.type_b)}}},
          {"standing", ir::enum_name(one.standing)},
          {"elements", one.type_a.shape.elements()},
          {"differing", one.differing},
          {"beyond", one.beyond},
          {"worst", element_json(one, one.worst)},
          {"first", element_json(one, one.first)},
          {"nmse", core::json_number(one.of_tensor)},
          {"why", one.why}};
}

}  // namespace

std::string to_text(const Comparison& comparison, bool strict, const core::terminal::Style& style,
                    std::size_t most_others) {
  std::string text;
  const Compared* const first = comparison.first();
  if (comparison.tensors.empty())
    text = "no tensor is in both\n";
  else if (first != nullptr)
    text = fmt::format("'{}' is the first beyond its limit{}: {}\n", printable(name_of(*first)),
                       comparison.has_graph_order ? ", in the order of the graph" : "", printable(trouble(*first)));
  else
    text = comparison.count(Standing::unjudged) > 0 ? "no tensor is beyond its limit, but not all were judged\n"
                                                    : "no tensor is beyond its limit\n";
  text += table_of(comparison, style, most_others);
  for (const Compared& one : comparison.tensors)
    if (&one != first && one.standing != Standing::within && !one.why.empty())
      text += fmt::format("'{}': {}\n", printable(name_of(one)), printable(one.why));
  text += lone_text(comparison.only_a, "A") + lone_text(comparison.only_b, "B");
  if (!comparison.tensors.empty()) text += summary(comparison);
  if (strict && exit_code(comparison, true) != exit_code(comparison, false))
    text += "--strict: every tensor must have a partner\n";
  return text;
}

std::string to_json(const Comparison& comparison, bool strict) {
  Json tensors = Json::array();
  for (const Compared& one : comparison.tensors) tensors.push_back(tensor_json(one));
  const Compared* const first = comparison.first();
  Json rule = nullptr;
  if (comparison.rule) {
    rule = {{"style", ir::enum_name(comparison.rule->style)}, {"source", source_of(comparison.rule->style)}};
    rule["by_dtype"] = Json::object();
    for (const Compared& one : comparison.tensors)
      if (one.standing != Standing::other)
        rule["by_dtype"][std::string(ir::info(one.type_a.dtype).name)] = to_text(*comparison.rule, one.type_a.dtype);
  }
  const Json all = {{"schema", "plumb.compare/1"},
                    {"exit", static_cast<int>(exit_code(comparison, strict))},
                    {"a", comparison.a},
                    {"b", comparison.b},
                    {"rule", rule},
                    {"policy", comparison.policy},
                    {"graph_order", comparison.has_graph_order},
                    {"first_beyond", first == nullptr ? Json(nullptr) : Json(first->name)},
                    {"tensors", tensors},
                    {"only_in_a", comparison.only_a},
                    {"only_in_b", comparison.only_b}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace plumb::parity::studies::closeness
