// The report on ONNX's backend tests by operator: as a table, Markdown, JSON and JUnit XML.
#include "parity/studies/conformance/conformance_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "parity/core/build_info.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/wrapped.hpp"
#include "parity/report/junit.hpp"

namespace plumb::parity::studies::conformance {
namespace {

constexpr std::array every_standing = {Standing::passed, Standing::failed, Standing::mistrusted, Standing::unsupported,
                                       Standing::out_of_scope};

using ByOp = std::map<std::string, std::vector<const ConformanceResult*>>;

ByOp by_op(std::span<const ConformanceResult> results) {
  ByOp grouped;
  for (const ConformanceResult& result : results) grouped[result.op].push_back(&result);
  return grouped;
}

std::size_t standing_so(const std::vector<const ConformanceResult*>& results, Outcome ConformanceResult::*executor,
                        Standing standing) {
  return static_cast<std::size_t>(std::ranges::count_if(
      results, [&](const ConformanceResult* one) { return (one->*executor).standing == standing; }));
}

/// "12" or, for none, nothing: a table of zeros hides what is not.
std::string cell(std::size_t n) { return n == 0 ? "" : std::to_string(n); }

std::vector<std::string> row(const std::string& op, const std::vector<const ConformanceResult*>& results) {
  std::vector<std::string> cells = {op, std::to_string(results.size())};
  for (const auto executor : {&ConformanceResult::cpu, &ConformanceResult::gpu})
    for (const Standing standing : {Standing::passed, Standing::failed, Standing::mistrusted, Standing::unsupported})
      if (executor == &ConformanceResult::gpu || standing != Standing::mistrusted)
        cells.push_back(cell(standing_so(results, executor, standing)));
  cells.push_back(cell(standing_so(results, &ConformanceResult::cpu, Standing::out_of_scope)));
  return cells;
}

std::vector<std::string> header(const std::string& candidate) {
  return {"op",
          "cases",
          "cpu passed",
          "failed",
          "unsupported",
          candidate + " passed",
          candidate + " failed",
          candidate + " mistrusted",
          candidate + " unsupported",
          "out of scope"};
}

std::vector<const ConformanceResult*> all_of(std::span<const ConformanceResult> results) {
  std::vector<const ConformanceResult*> all;
  for (const ConformanceResult& result : results) all.push_back(&result);
  return all;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

report::TestEnd end_of(Standing standing) {
  switch (standing) {
    case Standing::passed:
      return report::TestEnd::passed;
    case Standing::failed:
    case Standing::mistrusted:
      return report::TestEnd::failure;
    case Standing::unsupported:
    case Standing::out_of_scope:
      break;
  }
  return report::TestEnd::skipped;
}

report::Suite suite_of(std::string name, std::span<const ConformanceResult> results,
                       Outcome ConformanceResult::*executor) {
  report::Suite suite{.name = std::move(name)};
  for (const ConformanceResult& result : results) {
    const Outcome& outcome = result.*executor;
    const std::string standing(ir::enum_name(outcome.standing));
    // One case is a test on each executor.
    suite.tests.push_back({.group = suite.name + '.' + result.op,
                           .name = result.name,
                           .end = end_of(outcome.standing),
                           .type = standing,
                           .message = standing + ": " + outcome.why,
                           .details = outcome.why});
  }
  return suite;
}

}  // namespace

Count count(std::span<const ConformanceResult> results, Standing standing) {
  const auto all = all_of(results);
  return {standing_so(all, &ConformanceResult::cpu, standing), standing_so(all, &ConformanceResult::gpu, standing)};
}

std::string conformance_table(std::span<const ConformanceResult> results, const ConformanceContext& context) {
  core::terminal::TextTable table(header(context.candidate), 1);
  for (const auto& [op, of_op] : by_op(results)) table.row(row(op, of_op));
  table.row(row("all", all_of(results)));
  return table.text();
}

std::string conformance_markdown(std::span<const ConformanceResult> results, const ConformanceContext& context) {
  std::string page = "# Conformance\n\nWritten by `plumb conformance --markdown`; not edited by hand.\n\n";
  page += core::terminal::wrapped("* suite: " + context.suite, "  ");
  page += core::terminal::wrapped("* device: " + context.device, "  ");
  page += fmt::format("* plumb {}\n\n", core::build_info().version);
  page += core::terminal::wrapped(
      "Every case runs on the CPU executor and, without any help of the host, on the device. A case passes when each "
      "of "
      "its nodes agrees with the f64 truth of its own inputs and its results are what the suite expects. Out of scope, "
      "by rule, are cases whose expected output is random and cases fed with, or expecting, anything but tensors of "
      "numbers.");
  page += "\n";
  const auto line = [&](const std::vector<std::string>& cells) {
    page += fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  const std::vector<std::string> columns = header(context.candidate);
  line(columns);
  page += "|---|";
  for (std::size_t k = 1; k < columns.size(); ++k) page += "---:|";
  page += "\n";
  for (const auto& [op, of_op] : by_op(results)) line(row(op, of_op));
  line(row("**all**", all_of(results)));
  for (const Standing standing :
       {Standing::failed, Standing::mistrusted, Standing::unsupported, Standing::out_of_scope}) {
    std::string list;
    for (const ConformanceResult& one : results) {
      if (one.cpu.standing == standing)
        list +=
            core::terminal::wrapped(fmt::format("* {} ({}): {}", one.name,
                                                one.gpu.standing == standing ? "both" : "cpu", one_line(one.cpu.why)),
                                    "  ");
      else if (one.gpu.standing == standing)
        list += core::terminal::wrapped(
            fmt::format("* {} ({}): {}", one.name, context.candidate, one_line(one.gpu.why)), "  ");
    }
    if (!list.empty()) page += fmt::format("\n## {}\n\n{}", ir::enum_name(standing), list);
  }
  return page;
}

std::string conformance_json(std::span<const ConformanceResult> results, const ConformanceContext& context) {
  using Json = nlohmann::ordered_json;
  const auto outcome = [](const Outcome& one) -> Json {
    return {{"standing", ir::enum_name(one.standing)}, {"why", one.why}};
  };
  Json cases = Json::array(), totals = Json::object(), findings = Json::array();
  for (const core::RunFinding& one : context.findings) findings.push_back({{"kind", one.kind}, {"text", one.text}});
  for (const ConformanceResult& one : results)
    cases.push_back({{"case", one.name},
                     {"op", one.op},
                     {"cpu", outcome(one.cpu)},
                     {context.candidate, outcome(one.gpu)},
                     {"seconds", one.seconds}});
  for (const Standing standing : every_standing) {
    const Count so = count(results, standing);
    totals[std::string(ir::enum_name(standing))] = {{"cpu", so.cpu}, {context.candidate, so.gpu}};
  }
  const Json document = {{"format", "plumb.conformance/1"}, {"tool_version", core::build_info().version},
                         {"suite", context.suite},          {"device", context.device},
                         {"totals", std::move(totals)},     {"findings", std::move(findings)},
                         {"cases", std::move(cases)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string conformance_junit(std::span<const ConformanceResult> results, const ConformanceContext& context) {
  std::vector<report::Suite> suites = {suite_of("cpu", results, &ConformanceResult::cpu),
                                       suite_of(context.candidate, results, &ConformanceResult::gpu)};
  for (report::Suite& suite : report::suites_of_run({.findings = context.findings})) suites.push_back(std::move(suite));
  return report::to_junit(suites);
}

}  // namespace plumb::parity::studies::conformance
