// Makes candidates of cases, and smaller ones by leaving nodes out.
#include "parity/studies/reduce/candidate.hpp"

#include <algorithm>
#include <set>

namespace plumb::parity::studies::reduce {
namespace {

using ir::formats::Generated;

/// The fill of a source as a file says it again; nothing where the numbers come from elsewhere, or depend on the graph.
std::optional<Generated> fill_of(const cases::Case& subject, ir::Value v) {
  const ir::formats::GraphFile& file = *subject.file;
  const auto source = file.sources.find(file.graph.name(v));
  Generated made{ir::default_fill(file.graph.type(v).dtype)};
  if (source != file.sources.end()) {
    const auto* const said = std::get_if<Generated>(&source->second);
    if (said == nullptr || said->fill.distribution == ir::Distribution::adversarial) return std::nullopt;
    made = *said;
  }
  const bool is_param = v >= file.graph.inputs().size();
  if (!made.seed) made.seed = is_param ? subject.param_seed() : subject.seed;
  if (*made.seed > INT64_MAX) return std::nullopt;  // more than a file can say
  return made;
}

/// Whether the fill gives these very numbers to an input of this name.
bool gives(const Generated& fill, const std::string& name, const ir::Tensor& tensor) {
  ir::formats::GraphFile alone;
  alone.graph.input(name, tensor.type());
  alone.sources.emplace(name, fill);
  try {
    return std::ranges::equal(ir::formats::materialise(alone, 1).at(name).bytes(), tensor.bytes());
  } catch (const ir::Error&) {
    return false;  // the dtype that it was stored in takes no such fill
  }
}

/// A name for what a node gave, which becomes an input beside names that are taken.
std::string input_name(std::string name, std::set<std::string>& taken) {
  std::ranges::replace(name, ':', '.');
  while (!taken.insert(name).second) name += '\'';
  return name;
}

/// Builds the graph of some nodes of another.
class Kept {
 public:
  Kept(const Candidate& from, const std::vector<std::size_t>& kept, const Lookup& captured)
      : from_(from), kept_(kept), captured_(captured) {}

  Candidate get() {
    find_read();
    add_sources();
    for (const std::size_t n : kept_) add_node(from_.graph.nodes()[n]);
    add_results();
    return std::move(made_);
  }

 private:
  void find_read() {
    for (const std::size_t n : kept_) {
      const ir::Node& node = from_.graph.nodes()[n];
      taken_.insert(node.label);
      read_.insert(node.inputs.begin(), node.inputs.end());
      computed_.insert(node.outputs.begin(), node.outputs.end());
    }
    for (ir::Value v = 0; from_.graph.is_source(v); ++v) taken_.insert(from_.graph.name(v));
  }

  void add_source(ir::Value v) {
    const std::string name = from_.graph.name(v);
    const bool is_param = v >= from_.graph.inputs().size();
    const ir::TensorType& type = from_.graph.type(v);
    numbers_[v] = is_param ? made_.graph.param(name, type) : made_.graph.input(name, type);
    made_.sources.emplace(name, from_.sources.at(name));
  }

  /// Inputs, then what was captured, then params.
  void add_sources() {
    const std::size_t inputs = from_.graph.inputs().size();
    for (ir::Value v = 0; v < inputs; ++v)
      if (read_.contains(v)) add_source(v);
    for (const ir::Value v : read_) {
      if (from_.graph.is_source(v) || computed_.contains(v)) continue;
      const std::string name = input_name(from_.graph.name(v), taken_);
      numbers_[v] = made_.graph.input(name, from_.graph.type(v));
      made_.sources.emplace(name, captured_(v));
    }
    for (ir::Value v = inputs; from_.graph.is_source(v); ++v)
      if (read_.contains(v)) add_source(v);
  }

  void add_node(const ir::Node& node) {
    std::vector<ir::Value> inputs;
    for (const ir::Value v : node.inputs) inputs.push_back(numbers_.at(v));
    const auto outputs = made_.graph.add_all(node.label, node.op, std::move(inputs));
    for (std::size_t k = 0; k < outputs.size(); ++k) numbers_[node.outputs[k]] = outputs[k];
  }

  void add_results() {
    std::set<ir::Value> returned;
    const auto add = [&](ir::Value v) {
      if (returned.insert(v).second) made_.graph.returns(numbers_.at(v));
    };
    for (const ir::Value v : from_.graph.results())
      if (computed_.contains(v)) add(v);
    for (const ir::Value v : computed_)
      if (!read_.contains(v)) add(v);
  }

  const Candidate& from_;
  const std::vector<std::size_t>& kept_;
  const Lookup& captured_;
  Candidate made_;
  std::set<std::string> taken_;
  std::set<ir::Value> read_, computed_;
  std::map<ir::Value, ir::Value> numbers_;
};

}  // namespace

Candidate with_nodes(const Candidate& candidate, const std::vector<std::size_t>& kept, const Lookup& captured) {
  return Kept(candidate, kept, captured).get();
}

Candidate candidate_of(const cases::Case& subject) {
  Candidate whole{.graph = subject.file->graph};
  for (ir::Value v = 0; whole.graph.is_source(v); ++v) {
    const std::string name = whole.graph.name(v);
    const ir::Tensor& fed = subject.feeds.at(name);
    const std::optional<Generated> fill = fill_of(subject, v);
    if (fill && gives(*fill, name, fed))
      whole.sources.emplace(name, *fill);
    else
      whole.sources.emplace(name, fed);
  }
  std::vector<std::size_t> all(whole.graph.nodes().size());
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = n;
  return with_nodes(whole, all, [](ir::Value) -> ir::Tensor { ir::fail("every node is kept"); });
}

std::int64_t elements_of(const ir::Graph& graph) {
  std::int64_t elements = 0;
  for (ir::Value v = 0; v < graph.value_count(); ++v)
    if (graph.defined(v)) elements += graph.type(v).shape.elements();
  return elements;
}

bool has_numbers(const Candidate& candidate) {
  return std::ranges::any_of(candidate.sources,
                             [](const auto& entry) { return !std::holds_alternative<Generated>(entry.second); });
}

ir::formats::GraphFile file_of(const Candidate& candidate, std::string why) {
  ir::formats::GraphFile file;
  file.graph = candidate.graph;
  file.why = std::move(why);
  file.sources = candidate.sources;
  return file;
}

}  // namespace plumb::parity::studies::reduce
