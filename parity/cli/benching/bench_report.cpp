// Writes and reads plumb.bench/1, and says it for people.
#include "parity/cli/benching/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "parity/cli/flags/duration.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli::benching {
namespace {

using nlohmann::ordered_json;
using studies::bench::Spread;
using studies::bench::spread_of;

constexpr std::string_view schema = "plumb.bench/1";

constexpr std::array<std::pair<std::string_view, double Spread::*>, 7> fields = {{{"min", &Spread::min},
                                                                                  {"mean", &Spread::mean},
                                                                                  {"median", &Spread::median},
                                                                                  {"p90", &Spread::p90},
                                                                                  {"p95", &Spread::p95},
                                                                                  {"p99", &Spread::p99},
                                                                                  {"max", &Spread::max}}};

constexpr std::array<std::pair<std::string_view, std::vector<double> TimedGraph::*>, 6> shares = {
    {{"latency", &TimedGraph::latency},
     {"device", &TimedGraph::device_time},
     {"upload", &TimedGraph::upload},
     {"submit", &TimedGraph::submit},
     {"wait", &TimedGraph::wait},
     {"download", &TimedGraph::download}}};

ordered_json to_json(const Spread& spread) {
  ordered_json json = {{"runs", spread.runs}};
  for (const auto& [name, member] : fields) json[std::string(name)] = spread.*member;
  json["median_low"] = spread.low;
  json["median_high"] = spread.high;
  return json;
}

double runs_a_second(const Spread& latency) { return 1e3 / latency.mean; }

std::string time_text(double ms) { return fmt::format("{:.4g} ms", ms); }

std::string slowest_nodes(const TimedGraph& timed) {
  constexpr std::size_t shown = 20;
  std::vector<std::pair<double, const TimedNode*>> order;
  for (const TimedNode& node : timed.nodes) order.emplace_back(spread_of(node.ms).median, &node);
  std::ranges::sort(order, std::greater<>(), &std::pair<double, const TimedNode*>::first);
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i) {
    const auto& [ms, node] = order[i];
    text += fmt::format("  {:>10}  {}  {}  {} {}\n", time_text(ms), node->label, node->op, node->kernel, node->tile);
  }
  if (order.size() > shown) text += fmt::format("  ... {} more nodes\n", order.size() - shown);
  return text;
}

ordered_json to_json(const TimedGraph& timed, bool samples) {
  ordered_json json = {{"graph", timed.graph},
                       {"subject", timed.subject},
                       {"on", timed.on},
                       {"device_name", timed.device},
                       {"driver", timed.driver},
                       {"is_software", timed.is_software},
                       {"on_host", timed.on_host},
                       {"compile", timed.compile},
                       {"first_run", timed.first_run},
                       {"throughput", runs_a_second(spread_of(timed.latency))},
                       {"flops", timed.flops},
                       {"bytes", timed.bytes}};
  for (const auto& [name, member] : shares)
    if (!(timed.*member).empty()) json[std::string(name)] = to_json(spread_of(timed.*member));
  if (samples)
    for (const auto& [name, member] : shares)
      if (!(timed.*member).empty()) json["samples"][std::string(name)] = timed.*member;
  for (const TimedNode& node : timed.nodes)
    json["nodes"].push_back({{"node", node.label},
                             {"op", node.op},
                             {"kernel", node.kernel},
                             {"tile", node.tile},
                             {"median", spread_of(node.ms).median}});
  return json;
}

}  // namespace

std::string to_json(const std::vector<TimedGraph>& timed, bool samples) {
  ordered_json json = {{"schema", schema}, {"tool_version", core::build_info().version}, {"unit", "ms"}};
  json["timed"] = ordered_json::array();
  for (const TimedGraph& one : timed) json["timed"].push_back(to_json(one, samples));
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string to_text(const TimedGraph& timed) {
  const Spread latency = spread_of(timed.latency);
  std::string text = fmt::format("{} on {}", timed.graph, timed.on);
  if (!timed.device.empty())
    text += fmt::format(" ({}, {}{})", timed.device, timed.driver, timed.is_software ? ", a software device" : "");
  text +=
      fmt::format(": median {} ({:.4g} to {:.4g}), p95 {}, {:.4g} runs a second; {} runs\n", time_text(latency.median),
                  latency.low, latency.high, time_text(latency.p95), runs_a_second(latency), latency.runs);
  text += fmt::format("  {:.4g} GFLOP/s, {:.4g} GB/s; compile {}, first run {}", 1e-6 * timed.flops / latency.median,
                      1e-6 * timed.bytes / latency.median, time_text(timed.compile), time_text(timed.first_run));
  for (const auto& [name, member] : shares)
    if (name != "latency" && !(timed.*member).empty())
      text += fmt::format(", {} {}", name, time_text(spread_of(timed.*member).median));
  text += '\n';
  if (!timed.on_host.empty())
    text +=
        fmt::format("  {} of its nodes run on the host: {}\n", timed.on_host.size(), fmt::join(timed.on_host, ", "));
  return text + slowest_nodes(timed);
}

double field_of(const Spread& spread, const std::string& field) {
  const auto found = std::ranges::find(fields, field, &decltype(fields)::value_type::first);
  return spread.*(found->second);
}

Limit parse_limit(const std::string& text) {
  const auto sign = text.find('=');
  const std::string field = text.substr(0, sign);
  std::vector<std::string> names;
  for (const auto& [name, member] : fields) names.emplace_back(name);
  ir::require(sign != std::string::npos && std::ranges::find(names, field) != names.end(),
              "--limit is FIELD=TIME, such as median=5ms, with one of ", fmt::format("{}", fmt::join(names, ", ")),
              "; got '", text, "'", core::did_you_mean(field, names));
  return {field, 1e3 * flags::seconds_with_unit("--limit " + field, text.substr(sign + 1))};
}

std::vector<Earlier> read_report(const std::string& path) {
  std::ifstream file(path);
  ir::require(file.is_open(), path, ": cannot be read");
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    ir::require(json.at("schema") == schema, path, ": its schema is not ", schema);
    std::vector<Earlier> earlier;
    for (const auto& one : json.at("timed")) {
      const auto& latency = one.at("latency");
      earlier.push_back({one.at("graph"), one.at("subject"), one.at("on"), one.at("device_name"), latency.at("median"),
                         latency.at("median_low"), latency.at("median_high")});
    }
    return earlier;
  } catch (const nlohmann::json::exception& error) {
    ir::fail(path, ": is no report of `plumb bench --json`: ", error.what());
  }
}

Against compared(const TimedGraph& timed, const std::vector<Earlier>& earlier, const std::string& path) {
  const auto then = std::ranges::find_if(earlier, [&](const Earlier& one) {
    return one.subject == timed.subject && one.on == timed.on && one.device == timed.device;
  });
  std::string has;
  for (const Earlier& one : earlier)
    has += fmt::format("{}{} on {} {}", has.empty() ? "" : ", ", one.graph, one.on, one.device);
  ir::require(then != earlier.end(), path, ": has not ", timed.graph, " on ", timed.on, ' ', timed.device,
              " as it is now; it has ", has);
  const Spread now = spread_of(timed.latency);
  using enum Against::Verdict;
  const auto verdict = now.low > then->high ? slower : now.high < then->low ? faster : same;
  const std::string before = fmt::format("{} ({:.4g} to {:.4g})", time_text(then->median), then->low, then->high);
  if (verdict == same) return {same, fmt::format("  not told apart from {}, {}\n", before, path)};
  return {verdict, fmt::format("  {}: {:.3f} times the {} of {}\n", verdict == slower ? "slower" : "faster",
                               now.median / then->median, before, path)};
}

}  // namespace plumb::parity::cli::benching
