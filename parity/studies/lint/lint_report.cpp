// Findings and estimates as text and as JSON.
#include "parity/studies/lint/lint_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "parity/core/json_number.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::studies::lint {
namespace {

using nlohmann::ordered_json;

std::string range_text(double low, double high) { return fmt::format("{:.3g} to {:.3g}", low, high); }

std::string values_text(const Lint& lint) {
  core::terminal::TextTable table({"value", "type", "likely", "at most", "rms", "grid"}, 2);
  for (ir::Value v = 0; v < lint.graph.value_count(); ++v) {
    if (!lint.graph.defined(v)) continue;
    const ValueEstimate& known = lint.values[v];
    if (!known.is_known) {
      table.row({lint.graph.name(v), ir::cat(lint.graph.type(v)), "-", "-", "-", "-"});
      continue;
    }
    table.row({lint.graph.name(v), ir::cat(lint.graph.type(v)), range_text(known.likely_low, known.likely_high),
               range_text(known.low, known.high), core::terminal::short_number(known.rms),
               known.grain ? fmt::format("2^{}", *known.grain) : "-"});
  }
  return table.text();
}

ordered_json finding_json(const Finding& found) {
  ordered_json numbers = ordered_json::object();
  for (const auto& [name, number] : found.numbers) numbers[name] = core::json_number(number);
  return {{"kind", ir::enum_name(found.kind)},
          {"level", ir::enum_name(found.level)},
          {"value", found.value},
          {"op", found.op},
          {"numbers", std::move(numbers)},
          {"text", found.text},
          {"remedy", found.remedy}};
}

ordered_json value_json(const ir::Graph& graph, ir::Value value, const ValueEstimate& known) {
  ordered_json made = {{"name", graph.name(value)}, {"type", ir::cat(graph.type(value))}, {"known", known.is_known}};
  if (!known.is_known) return made;
  made["low"] = core::json_number(known.low);
  made["high"] = core::json_number(known.high);
  made["likely_low"] = core::json_number(known.likely_low);
  made["likely_high"] = core::json_number(known.likely_high);
  made["mean"] = core::json_number(known.mean);
  made["rms"] = core::json_number(known.rms);
  made["grain"] = known.grain ? ordered_json(*known.grain) : ordered_json(nullptr);
  return made;
}

}  // namespace

std::size_t count_of(const Lint& lint, Level level) {
  return static_cast<std::size_t>(
      std::ranges::count_if(lint.findings, [&](const Finding& found) { return found.level >= level; }));
}

std::string lint_text(const Lint& lint, const Heading& heading, bool each_value) {
  const std::size_t count = count_of(lint, heading.level), others = lint.findings.size() - count;
  std::string text;
  for (const Finding& found : lint.findings) {
    if (found.level < heading.level) continue;
    text += fmt::format("{} ({}): {}, {}: {}\n    {}\n", found.value, found.op, ir::enum_name(found.kind),
                        ir::enum_name(found.level), found.text, found.remedy);
  }
  if (each_value) text += values_text(lint);
  if (!lint.unknown.empty())
    text += fmt::format("nothing is known of {}: {}\n", core::terminal::counted(lint.unknown.size(), "value"),
                        fmt::join(lint.unknown, ", "));
  text += fmt::format("{} in {}: {} in {}{}\n", heading.path, heading.dtype, core::terminal::counted(count, "finding"),
                      core::terminal::counted(lint.graph.nodes().size(), "node"),
                      others == 0 ? "" : fmt::format("; {} less sure: --level possible", others));
  return text;
}

std::string lint_json(const Lint& lint, const Heading& heading) {
  ordered_json findings = ordered_json::array(), values = ordered_json::array();
  for (const Finding& found : lint.findings)
    if (found.level >= heading.level) findings.push_back(finding_json(found));
  for (ir::Value v = 0; v < lint.graph.value_count(); ++v)
    if (lint.graph.defined(v)) values.push_back(value_json(lint.graph, v, lint.values[v]));
  const ordered_json report = {{"schema", "plumb.lint/1"},        {"graph", heading.path},
                               {"dtype", heading.dtype},          {"level", ir::enum_name(heading.level)},
                               {"findings", std::move(findings)}, {"unknown", lint.unknown},
                               {"values", std::move(values)}};
  return report.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace plumb::parity::studies::lint
