// Makes a graph of one op and verifies it.
#include "parity/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/adversarial/use.hpp"
#include "parity/check/sketch.hpp"
#include "parity/core/terminal/shell_word.hpp"

namespace plumb::parity::check {
namespace {

/// "f32[33,257]", without spaces: one word of a command line.
std::string word_of(const ir::TensorType& type) {
  std::string text = ir::cat(type);
  std::erase(text, ' ');
  return text;
}

}  // namespace

std::optional<ir::Fill> fill_of(const ir::Graph& graph, ir::Value value, const Sketch& sketch, std::size_t operand) {
  const ir::DType dtype = graph.type(value).dtype;
  if ((ir::is_float(dtype) || ir::is_integer(dtype)) && operand < sketch.operands.size())
    if (const auto own = sketch.fills.find(sketch.operands[operand].name); own != sketch.fills.end())
      return own->second;
  const ir::adversarial::Use use = ir::adversarial::use_of(graph, value);
  if (use.role == ir::Role::variance)
    return ir::Fill{.distribution = ir::Distribution::uniform, .low = 0.25, .high = 2};
  if (use.role != ir::Role::index || use.low >= use.high) return std::nullopt;
  return ir::Fill{.distribution = ir::Distribution::uniform_int,
                  .low = static_cast<double>(use.low),
                  .high = static_cast<double>(use.high)};
}

std::string name_of(const Check& check) {
  std::string name(check.op.name());
  for (const ir::TensorType& type : check.operands) name += ' ' + ir::cat(type);
  for (const auto& [attribute, value] : check.attributes) name += fmt::format(" {}={}", attribute, value);
  return name;
}

std::string repro_of(const Check& check, const std::string& flags) {
  using core::terminal::shell_word;
  std::string text = fmt::format("plumb check --op {}", check.op.name());
  for (const auto& [attribute, value] : check.attributes) text += " --attr " + shell_word(attribute + '=' + value);
  for (const ir::TensorType& type : check.operands) text += " --in " + shell_word(word_of(type));
  if (check.fill == core::FillKind::exact) text += " --fill exact";
  if (check.fill == core::FillKind::adversarial) {
    text += " --fill adversarial";
    if (check.adversarial) text += fmt::format(":{}", ir::enum_name(*check.adversarial));
  }
  return fmt::format("{} --seed {}{}", text, check.seed, flags);
}

ir::formats::GraphFile graph_file_of(const Check& check) {
  ir::formats::GraphFile file;
  file.graph = ir::graph_of(check.op, check.operands);
  Random random(check.seed);
  const Sketch sketch = sketch_of(check.op, random);
  for (ir::Value v = 0; file.graph.is_source(v); ++v)
    if (const auto fill = fill_of(file.graph, v, sketch, v))
      file.sources.insert_or_assign(file.graph.name(v), ir::formats::Generated{*fill});
  return file;
}

cases::CaseResult run_made(const std::function<ir::formats::GraphFile()>& make, const std::string& name,
                           verify::FillOptions fill, const cases::Executors& executors,
                           const verify::VerifyOptions& options, const std::string& repro, cases::Observer& observer) {
  fill.read = [&](const std::filesystem::path&) { return make(); };
  cases::CaseResult result = verify::verify_file(name, fill, executors, options, observer);
  result.subject.origin.is_of_file = false;
  result.repro = repro;
  for (cases::NodeResult& node : result.nodes)
    if (!node.repro.empty()) node.repro = result.repro;
  return result;
}

cases::CaseResult run(const Check& check, const cases::Executors& executors, const verify::VerifyOptions& options,
                      const std::string& flags, cases::Observer& observer) {
  const verify::FillOptions fill{.seed = check.seed, .kind = check.fill, .adversarial = check.adversarial};
  return run_made([&] { return graph_file_of(check); }, name_of(check), fill, executors, options,
                  repro_of(check, flags), observer);
}

}  // namespace plumb::parity::check
