// Takes tensors that have the names of values.
#include "parity/foreign/answers.hpp"

#include <algorithm>

#include "ir/raw/utf8.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/foreign/received.hpp"

namespace plumb::parity::foreign {
namespace {

constexpr std::size_t most_notes = 20, longest_quote = 200;

}  // namespace

std::string shown_name(std::string_view name) { return ir::raw::shown(name, longest_quote); }

Answers::Answers(std::string candidate, const ir::Graph& graph, const ValueNames& names,
                 const std::vector<ir::Value>& wanted, Storage storage)
    : candidate_(std::move(candidate)),
      storage_(storage),
      graph_(graph),
      names_(names),
      wanted_(wanted.begin(), wanted.end()) {
  for (const ir::Value value : wanted) known_.push_back(names.name(value));
}

std::optional<ir::Value> Answers::find(const std::string& name) {
  const auto value = names_.find(name);
  if (!value && ++unknown_ <= most_notes) {
    const std::string shown = shown_name(name);
    notes_.push_back(ir::cat("'", shown, "' is no value of the graph", core::did_you_mean(shown, known_)));
  }
  return value;
}

std::optional<ir::Value> Answers::wanted_by(const std::string& name) {
  const auto value = find(name);
  return value && wanted_.contains(*value) ? value : std::nullopt;
}

void Answers::require_type(const std::string& name, const ir::TensorType& found, ir::Value value) const {
  const ir::TensorType& type = graph_.type(value);
  if (!is_receivable(found, type, storage_))
    fail("gave '", shown_name(name), "' as ", found, ", the graph says ", type);
}

void Answers::add(const std::string& name, ir::Value value, ir::Tensor tensor) {
  require_type(name, tensor.type(), value);
  tensor = received(shown_name(name), std::move(tensor), graph_.type(value), storage_);
  const auto before = values.find(value);
  if (before == values.end()) {
    values.emplace(value, std::move(tensor));
    return;
  }
  // A value may have several names in a model, by an Identity for one.
  const ir::Tensor& held = before->second;
  if (held.type() != tensor.type() || !std::ranges::equal(held.bytes(), tensor.bytes()))
    fail("gave other bits for '", shown_name(name), "' than for the value that it is a name of");
}

void Answers::require_all(const std::vector<ir::Value>& required) const {
  for (const ir::Value value : required)
    if (!graph_.is_source(value) && !values.contains(value)) fail("gave nothing for '", names_.name(value), "'");
}

std::vector<std::string> Answers::notes() const {
  std::vector<std::string> all = notes_;
  if (unknown_ > most_notes) all.push_back(ir::cat("and ", unknown_ - most_notes, " more names of no value"));
  return all;
}

std::vector<ir::NodeReport> foreign_nodes(const ir::Graph& graph) {
  ir::NodeReport foreign;
  foreign.placement = ir::Placement::foreign;
  return std::vector<ir::NodeReport>(graph.nodes().size(), foreign);
}

}  // namespace plumb::parity::foreign
