// Counts cells of what was reached.
#include "parity/studies/fuzz/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "ir/fill.hpp"
#include "ir/op_list.hpp"

namespace plumb::parity::studies::fuzz {
namespace {

constexpr std::string_view heading = "kind\tsubject\tvalue\tdevice\thost\tfirst case\n";

std::vector<std::string> fills() {
  std::vector<std::string> names = {"graph", "exact"};
  for (const std::string_view kind : enum_names(ir::AdversarialKind{})) names.push_back(ir::cat("adversarial:", kind));
  return names;
}

/// The cells of an op by its attributes: enums by choice, bools by being on.
void add_attributes(const ir::Op& op, std::set<Cell>& found) {
  const ir::Attributes attributes = op.attributes();
  for (const ir::FieldInfo& field : op.schema().fields()) {
    const auto value = attributes.find(field.name);
    if (value == attributes.end()) continue;
    const std::string subject = ir::cat(op.name(), '.', field.name);
    if (const bool* const is_on = std::get_if<bool>(&value->second))
      found.insert({"switch", subject, *is_on ? "on" : "off"});
    if (const auto* const choice = std::get_if<std::string>(&value->second); choice != nullptr && field.kind == "enum")
      found.insert({"choice", subject, *choice});
  }
}

/// Whether an extent ends with a tile, and if not how: what ragged ends are wrong in.
std::string_view edge_class(std::int64_t extent, std::int64_t tile) {
  if (extent == 0) return "0";
  if (extent == 1) return "1";
  if (extent < tile) return "below";
  if (extent % tile == 0) return "multiple";
  if (extent % tile == 1) return "multiple + 1";
  return extent % tile == tile - 1 ? "multiple - 1" : "between";
}

/// "64x32x16" as numbers; what is none ends it.
std::vector<std::int64_t> extents_of(std::string_view tile) {
  std::vector<std::int64_t> found;
  while (!tile.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(tile.data(), tile.data() + tile.size(), number);
    if (error != std::errc{} || number < 2) break;
    found.push_back(number);
    tile.remove_prefix(static_cast<std::size_t>(end - tile.data()));
    if (!tile.starts_with('x')) break;
    tile.remove_prefix(1);
  }
  return found;
}

/// A tile is of the last axes of a result: of all but its third extent, which is of the terms.
void add_tile(const cases::NodeResult& node, std::set<Cell>& found) {
  const std::vector<std::int64_t> tile = extents_of(node.tile);
  const std::size_t axes = std::min<std::size_t>(tile.size(), 2), rank = node.type.shape.size();
  for (std::size_t i = 0; i < axes && rank >= axes; ++i)
    found.insert({"edge", ir::cat(node.kernel, ' ', node.tile, i + 1 == axes ? " columns" : " rows"),
                  std::string(edge_class(node.type.shape[rank - axes + i], tile[i]))});
}

std::set<Cell> cells_of(const ir::Graph& graph, const cases::NodeResult& result, const std::string& fill) {
  std::set<Cell> found;
  const ir::Node& node = graph.nodes()[result.node];
  const std::string op(node.op.name());
  found.insert({"fill", op, fill});
  if (!node.inputs.empty()) found.insert({"dtype", op, ir::cat(graph.type(node.inputs.front()).dtype)});
  add_attributes(node.op, found);
  if (result.kernel.empty()) return found;
  found.insert({"kernel", ir::cat(op, " by ", result.kernel), ir::cat(result.type.dtype)});
  add_tile(result, found);
  return found;
}

std::set<Cell> declared() {
  std::set<Cell> found;
  for (const ir::OpSchema* const schema : ir::all_schemas()) {
    const std::string op(schema->name);
    for (const std::string& fill : fills())
      if (!schema->inputs.empty()) found.insert({"fill", op, fill});
    for (std::size_t i = 0; i < ir::dtype_count && !schema->inputs.empty(); ++i)
      if (const auto dtype = static_cast<ir::DType>(i); schema->inputs[0].dtypes.contains(dtype))
        found.insert({"dtype", op, ir::cat(dtype)});
    for (const ir::FieldInfo& field : schema->fields()) {
      const std::string subject = ir::cat(op, '.', field.name);
      for (const std::string_view choice : field.choices) found.insert({"choice", subject, std::string(choice)});
      if (field.kind == "bool")
        for (const char* const state : {"on", "off"}) found.insert({"switch", subject, state});
    }
  }
  return found;
}

/// The parts of a line, between tabs.
std::vector<std::string_view> parts_of(std::string_view line) {
  std::vector<std::string_view> parts;
  for (std::size_t tab = line.find('\t'); tab != line.npos; tab = line.find('\t')) {
    parts.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  parts.push_back(line);
  return parts;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

const std::set<Cell>& declared_cells() {
  static const std::set<Cell> all = declared();
  return all;
}

bool Coverage::add(const cases::CaseResult& result, const std::string& name, const std::string& fill) {
  if (!result.subject.file) return false;
  const ir::Graph& graph = result.subject.file->graph;
  bool is_new = false;
  for (const cases::NodeResult& one : result.nodes) {
    if (one.node >= graph.nodes().size() || one.output != 0) continue;
    const bool is_on_device = one.verdict != core::Verdict::unsupported && one.verdict != core::Verdict::fallback;
    if (one.verdict == core::Verdict::skipped) continue;  // computed inside another node, or empty
    for (const Cell& cell : cells_of(graph, one, fill)) {
      Reached& reached = cells_[cell];
      ++(is_on_device ? reached.device : reached.host);
      if (!is_on_device || reached.device != 1) continue;
      reached.first = name;
      is_new = true;
    }
  }
  return is_new;
}

Share Coverage::share(std::string_view kind) const {
  Share share;
  for (const Cell& cell : declared_cells()) {
    if (cell.kind != kind) continue;
    const auto found = cells_.find(cell);
    const bool is_tried = found != cells_.end();
    if (is_tried && found->second.device == 0) continue;  // the host alone has it
    ++share.all;
    if (is_tried) ++share.reached;
  }
  return share;
}

Share Coverage::share() const {
  Share sum;
  for (const std::string_view kind : declared_kinds) {
    const Share one = share(kind);
    sum.reached += one.reached;
    sum.all += one.all;
  }
  return sum;
}

std::string Coverage::to_text() const {
  std::string text(heading);
  for (const auto& [cell, reached] : cells_)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", cell.kind, cell.subject, cell.value, reached.device, reached.host,
                        reached.first);
  return text;
}

void Coverage::read(std::string_view text) {
  ir::require(text.starts_with(heading), "line 1: is not the heading of a coverage table");
  text.remove_prefix(heading.size());
  for (std::size_t line = 2; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto parts = parts_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_whole = parts.size() == 6;
    const auto device = is_whole ? number_of(parts[3]) : std::nullopt, host = is_whole ? number_of(parts[4]) : device;
    ir::require(device && host, "line ", line, ": is not a kind, a subject, a value, two counts and a case");
    Reached& reached = cells_[{std::string(parts[0]), std::string(parts[1]), std::string(parts[2])}];
    if (reached.device == 0) reached.first = parts[5];
    reached.device += *device;
    reached.host += *host;
  }
}

}  // namespace plumb::parity::studies::fuzz
