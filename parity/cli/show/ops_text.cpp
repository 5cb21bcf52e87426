// The reference of ops as Markdown, generated from their schemas.
#include "parity/cli/show/ops_text.hpp"

#include <fmt/format.h>

#include "ir/registered_op.hpp"
#include "parity/core/terminal/wrapped.hpp"

namespace plumb::parity::cli::show {
namespace {

std::string default_of(const ir::OpSchema& schema, const ir::FieldInfo& field) {
  if (field.presence == ir::Presence::required) return "must be given";
  const auto defaults = schema.defaults().attributes();
  const auto found = defaults.find(field.name);
  if (found == defaults.end()) return "absent";
  return std::visit(
      []<class T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, bool>)
          return value ? "true" : "false";
        else if constexpr (std::is_same_v<T, std::string>)
          return value;
        else if constexpr (requires { value.size(); })
          return "[]";
        else
          return fmt::format("{}", value);
      },
      found->second);
}

std::string kind_of(const ir::FieldInfo& field) {
  std::string kind(field.kind);
  for (std::size_t i = 0; i < field.choices.size(); ++i)
    kind += (i == 0 ? " {" : ", ") + std::string(field.choices[i]) + (i + 1 == field.choices.size() ? "}" : "");
  return kind;
}

std::string item(const std::string& text) { return core::terminal::wrapped("* " + text, "  "); }

std::string operands_of(const ir::OpSchema& schema) {
  std::string items;
  for (const ir::Input& input : schema.inputs) {
    std::string text = fmt::format("in `{}`{}: {} {}", input.name, input.repeated ? " (one or more)" : "",
                                   ir::cat(input.dtypes), input.shape);
    if (!input.like.empty()) text += fmt::format(", dtype as {}", input.like);
    if (!input.when.empty()) text += fmt::format(", only with `{}`", input.when);
    items += item(text);
  }
  for (const ir::Output& output : schema.outputs) items += item(fmt::format("out `{}`: {}", output.name, output.type));
  return items;
}

}  // namespace

std::string op_markdown(const ir::OpSchema& schema) {
  const bool is_ours = ir::registered(schema) == nullptr;
  const std::string tier = is_ours ? fmt::format("tier {}", schema.tier) : "registered";
  std::string text = fmt::format("## {} · {} · {}\n\n", schema.name, tier, schema.summary);
  text += core::terminal::wrapped(schema.formula) + "\n" + operands_of(schema);
  for (const ir::FieldInfo& field : schema.fields())
    text += item(
        fmt::format("attribute `{}`: {} = {}: {}", field.name, kind_of(field), default_of(schema, field), field.doc));
  for (std::size_t i = 0; i < schema.checks.size(); ++i) text += item(fmt::format("C{}: {}", i + 1, schema.checks[i]));
  text += item(fmt::format("error class: {}", ir::enum_name(schema.error_class(schema.defaults()))));
  return is_ours ? text + item(fmt::format("contract: [ops.md](spec/ops.md#{})", schema.name)) : text;
}

std::string ops_markdown() {
  std::string text = "# Operators\n\n";
  text += core::terminal::wrapped(
      "Generated from the headers in ir/ops by `plumb ops --markdown`: what every op takes, checks and gives. What it "
      "computes is specified in [ops.md](spec/ops.md). Every op also checks C0: the number of inputs, their dtypes, "
      "and "
      "that axes lie in range.");
  for (const auto* schema : ir::all_schemas()) text += "\n" + op_markdown(*schema);
  return text;
}

}  // namespace plumb::parity::cli::show
