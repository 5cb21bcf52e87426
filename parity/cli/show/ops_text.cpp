#include "parity/cli/show/ops_text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace plumb::parity::cli::show {
namespace {

using Text = std::back_insert_iterator<std::string>;

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

void write_operands(Text out, const ir::OpSchema& schema) {
  for (const ir::Input& input : schema.inputs) {
    fmt::format_to(out, "* in `{}`{}: {} {}", input.name, input.repeated ? " (one or more)" : "", ir::cat(input.dtypes),
                   input.shape);
    if (!input.like.empty()) fmt::format_to(out, ", dtype as {}", input.like);
    if (!input.when.empty()) fmt::format_to(out, ", only with `{}`", input.when);
    fmt::format_to(out, "\n");
  }
  for (const ir::Output& output : schema.outputs) fmt::format_to(out, "* out `{}`: {}\n", output.name, output.type);
}

}  // namespace

std::string op_markdown(const ir::OpSchema& schema) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, "## {} · tier {} · {}\n\n{}\n\n", schema.name, schema.tier, schema.summary, schema.formula);
  write_operands(out, schema);
  for (const ir::FieldInfo& field : schema.fields())
    fmt::format_to(out, "* attribute `{}`: {} = {}: {}\n", field.name, kind_of(field), default_of(schema, field),
                   field.doc);
  for (std::size_t i = 0; i < schema.checks.size(); ++i) fmt::format_to(out, "* C{}: {}\n", i + 1, schema.checks[i]);
  fmt::format_to(out, "* error class: {}\n", ir::enum_name(schema.error_class(schema.defaults())));
  return text;
}

std::string ops_markdown() {
  std::string text =
      "# Operators\n\nGenerated from the headers in ir/ops by `plumb ops --markdown`. Every op also checks C0: the "
      "number of "
      "inputs, their dtypes, and that axes lie in range.\n";
  for (const auto* schema : ir::all_schemas()) text += "\n" + op_markdown(*schema);
  return text;
}

}  // namespace plumb::parity::cli::show
