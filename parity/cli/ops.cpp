// `plumb ops`: the table of ops and of who runs them, and the generated references.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/registered_op.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/show/accuracy_text.hpp"
#include "parity/cli/show/ops_json.hpp"
#include "parity/cli/show/ops_text.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/did_you_mean.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

struct OpsFlags {
  std::string name;
  bool markdown = false, accuracy = false, json = false;
};

using Row = show::OpRow;

std::vector<Row> rows() {
  const ref_cpu::CpuExecutor cpu;
  std::vector<Row> all;
  for (const auto* schema : ir::known_schemas())
    all.push_back({schema, cpu.has_kernel(*schema), gpu_vulkan::plan::has_kernel(*schema)});
  return all;
}

void print_table() {
  const auto all = rows();
  std::size_t widest = 0;
  for (const Row& row : all) widest = std::max(widest, row.schema->name.size());
  const auto line = [widest](std::string_view name, std::string_view tier, std::string_view on_cpu,
                             std::string_view on_vulkan, std::string_view what) {
    const std::string head = fmt::format("{:<{}} {:>4}  {:<7} {:<10}  ", name, widest, tier, on_cpu, on_vulkan);
    show::print_lines(fmt::format("{}{}\n", head, what), head.size());
  };
  line("op", "tier", "ref_cpu", "gpu_vulkan", "what it does");
  for (const Row& row : all)
    line(row.schema->name, ir::registered(*row.schema) ? "-" : std::to_string(row.schema->tier),
         row.on_cpu ? "yes" : "-", row.on_vulkan ? "yes" : "-", row.schema->summary);
  const auto count = [&](auto has) { return std::count_if(all.begin(), all.end(), has); };
  show::print("{} ops: {} on ref_cpu, {} on gpu_vulkan; `plumb ops NAME` shows one\n", all.size(),
              count([](const Row& row) { return row.on_cpu; }), count([](const Row& row) { return row.on_vulkan; }));
}

}  // namespace

Action ops(CLI::App& app) {
  const auto flags = std::make_shared<OpsFlags>();
  app.add_option("name", flags->name, "show this op only, in full")->type_name("OP");
  app.add_flag("--markdown", flags->markdown, "write the reference of all ops as Markdown");
  app.add_flag("--accuracy", flags->accuracy, "write the limits of all elementwise functions as Markdown");
  app.add_flag("--json", flags->json, "write the table as JSON");
  return [flags] {
    if (!flags->name.empty()) {
      const auto* schema = ir::find_schema(flags->name);
      std::vector<std::string> names;
      for (const auto* one : ir::known_schemas()) names.emplace_back(one->name);
      const std::string meant = core::did_you_mean(flags->name, names);
      ir::require(schema != nullptr, "there is no op '", flags->name, "'",
                  meant.empty() ? "; `plumb ops` lists them" : meant);
      show::print_lines(show::op_markdown(*schema));
    } else if (flags->markdown) {
      std::cout << show::ops_markdown();
    } else if (flags->accuracy) {
      std::cout << show::accuracy_markdown();
    } else if (flags->json) {
      std::cout << show::ops_json(rows()) << '\n';
    } else {
      print_table();
    }
    return 0;
  };
}

}  // namespace plumb::parity::cli
