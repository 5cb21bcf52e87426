#include "parity/checks/exact/twin.hpp"

#include <algorithm>
#include <set>

#include "parity/checks/exact/draw.hpp"
#include "parity/checks/exact/prove.hpp"

namespace plumb::parity::checks::exact {
namespace {

/// A tensor of the twin while it is planned: a value of the original, or an operand made for a cut.
struct Tensor {
  ir::TensorType type = {};
  std::string name = {};
  bool is_source = false, is_constant = false;
  std::optional<ir::Fill> fill = {};       ///< the fill of a source that was drawn
  std::optional<ir::Tensor> numbers = {};  ///< nothing yet of a float source that no node has needed
};

using Handle = std::size_t;  ///< numbers Tensors: values of the original have their own numbers
using Handles = std::vector<Handle>;

class Builder {
 public:
  Builder(const cases::Case& original, ir::Executor& reference);
  cases::Case build();

 private:
  void plan_node(std::size_t n);
  bool try_with(std::size_t n, const std::set<Handle>& cut, std::span<const ir::Fill> draws);
  std::optional<Outcome> prove_drawing(const ir::Op& op, const Handles& operands, std::span<const ir::Fill> draws);
  std::vector<std::set<Handle>> cuts_of(const Handles& operands) const;
  void accept(std::size_t n, Handles operands, Outcome outcome);
  void give_up(std::size_t n, core::Proof proof);
  void feed_zero_indices(std::size_t n);
  Handle cut(Handle from);
  ir::Tensor drawn(Handle source, const ir::Fill& fill) const;
  cases::Case assemble();
  std::vector<ir::Value> lost_readers() const;

  const cases::Case& original_;
  const ir::Graph& graph_;
  ir::Executor& reference_;
  std::vector<Tensor> tensors_;
  std::vector<Handle> current_;      ///< by value of the original: what its readers get from now on
  std::vector<Handles> operands_;    ///< by node
  std::vector<core::Proof> proofs_;  ///< by node
};

/// Whole numbers can be drawn in place of any: of floats, and of both parts of complex numbers.
bool is_drawn(ir::DType dtype) { return ir::is_float(dtype) || ir::is_complex(dtype); }

Builder::Builder(const cases::Case& original, ir::Executor& reference)
    : original_(original), graph_(original.file->graph), reference_(reference) {
  for (ir::Value v = 0; v < graph_.value_count(); ++v) {
    current_.push_back(v);
    if (!graph_.defined(v)) {
      tensors_.emplace_back();
      continue;
    }
    tensors_.push_back({.type = graph_.type(v), .name = graph_.name(v), .is_source = graph_.is_source(v)});
    if (graph_.is_source(v) && !is_drawn(tensors_[v].type.dtype))
      tensors_[v].numbers = ir::fed(graph_, original.feeds, v);
  }
}

ir::Tensor Builder::drawn(Handle source, const ir::Fill& fill) const {
  const Tensor& tensor = tensors_[source];
  return ir::fill(tensor.type, fill, original_.seed, ir::stream_of(tensor.name));
}

/// A source in place of `from`, of numbers that are drawn when a node needs them; indices are 0.
Handle Builder::cut(Handle from) {
  Tensor made{.type = tensors_[from].type, .is_source = true};
  made.name = ir::free_name(graph_, ir::cat(tensors_[from].name, " again ", tensors_.size() - graph_.value_count()));
  if (!is_drawn(made.type.dtype)) {
    made.fill = ir::Fill{.distribution = ir::Distribution::constant, .value = 0};
    made.numbers = ir::Tensor(made.type);
  }
  tensors_.push_back(std::move(made));
  return tensors_.size() - 1;
}

/// Draws what the operands lack, ever sparser, until the op is proved on them.
std::optional<Outcome> Builder::prove_drawing(const ir::Op& op, const Handles& operands,
                                              std::span<const ir::Fill> draws) {
  std::set<Handle> lacking;
  for (const Handle h : operands)
    if (!tensors_[h].numbers) lacking.insert(h);
  for (const ir::Fill& fill : draws) {
    std::map<Handle, ir::Tensor> made;
    for (const Handle h : lacking) made.emplace(h, drawn(h, fill));
    std::vector<ir::Tensor> tensors;
    for (const Handle h : operands) tensors.push_back(made.contains(h) ? made.at(h) : *tensors_[h].numbers);
    Outcome outcome = prove(op, tensors, reference_);
    if (outcome.proof.exact == core::Exactness::proved) {
      for (auto& [h, tensor] : made) {
        tensors_[h].numbers = std::move(tensor);
        tensors_[h].fill = fill;
      }
      return outcome;
    }
    if (lacking.empty()) break;
  }
  return std::nullopt;
}

/// The cuts that may be made from a node, least first: none, one operand, all that were computed or drawn, all.
std::vector<std::set<Handle>> Builder::cuts_of(const Handles& operands) const {
  std::set<Handle> computed, all;
  for (const Handle h : operands) {
    if (!tensors_[h].numbers || !is_drawn(tensors_[h].type.dtype)) continue;
    all.insert(h);
    if (!tensors_[h].is_constant) computed.insert(h);
  }
  std::vector<std::set<Handle>> cuts = {{}};
  for (const Handle h : computed) cuts.push_back({h});
  cuts.push_back(computed);
  cuts.push_back(all);
  return cuts;
}

bool Builder::try_with(std::size_t n, const std::set<Handle>& cut_off, std::span<const ir::Fill> draws) {
  const std::size_t known = tensors_.size();
  const auto before = current_;
  for (const Handle h : cut_off) {
    const Handle made = cut(h);
    std::ranges::replace(current_, h, made);
  }
  Handles operands;
  for (const ir::Value v : graph_.nodes()[n].inputs) operands.push_back(current_[v]);
  auto outcome = prove_drawing(graph_.nodes()[n].op, operands, draws);
  if (outcome) {
    accept(n, std::move(operands), std::move(*outcome));
    return true;
  }
  tensors_.resize(known);
  current_ = before;
  return false;
}

void Builder::accept(std::size_t n, Handles operands, Outcome outcome) {
  const ir::Node& node = graph_.nodes()[n];
  operands_.push_back(std::move(operands));
  proofs_.push_back(std::move(outcome.proof));
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    tensors_[node.outputs[k]].numbers = std::move(outcome.outputs[k]);
    tensors_[node.outputs[k]].is_constant = node.inputs.empty();
  }
}

/// Nothing is known of what the node makes: its readers get other operands.
void Builder::give_up(std::size_t n, core::Proof proof) {
  Handles operands;
  for (const ir::Value v : graph_.nodes()[n].inputs) operands.push_back(current_[v]);
  operands_.push_back(std::move(operands));
  proofs_.push_back(std::move(proof));
  for (const ir::Value v : graph_.nodes()[n].outputs) current_[v] = cut(v);
}

/// Indices that were computed from numbers of the twin may point anywhere.
void Builder::feed_zero_indices(std::size_t n) {
  for (const ir::Value v : graph_.nodes()[n].inputs)
    if (ir::is_integer(graph_.type(v).dtype) && !tensors_[current_[v]].is_source) current_[v] = cut(current_[v]);
}

void Builder::plan_node(std::size_t n) {
  const ir::Node& node = graph_.nodes()[n];
  ir::TensorTypes in, out;
  for (const ir::Value v : node.inputs) in.push_back(graph_.type(v));
  for (const ir::Value v : node.outputs) out.push_back(graph_.type(v));
  const Rule rule = rule_of(node.op, in, out);
  if (rule.arithmetic == Rule::Arithmetic::rounds) return give_up(n, {core::Exactness::impossible, rule.why});
  Handles operands;
  for (const ir::Value v : node.inputs) operands.push_back(current_[v]);
  for (const std::span<const ir::Fill> draws : {std::span<const ir::Fill>(dense_draws), {sparse_draws}})
    for (const auto& cut_off : cuts_of(operands))
      if (try_with(n, cut_off, draws)) return;
  give_up(n, {core::Exactness::impossible, "no numbers were found on which its sums are exact"});
}

/// Values that some reader no longer gets, or that one reads of which nothing is proved.
std::vector<ir::Value> Builder::lost_readers() const {
  std::set<ir::Value> lost;
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    const auto& inputs = graph_.nodes()[n].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool reads = operands_[n][i] == inputs[i];
      if (!reads || proofs_[n].exact != core::Exactness::proved) lost.insert(inputs[i]);
    }
  }
  for (const ir::Value v : graph_.results()) lost.erase(v);
  std::erase_if(lost, [&](ir::Value v) {
    return graph_.is_source(v) || proofs_[*graph_.producer(v)].exact != core::Exactness::proved;
  });
  return {lost.begin(), lost.end()};
}

cases::Case Builder::assemble() {
  auto file = std::make_shared<ir::formats::GraphFile>();
  file->why = "the exact twin of: " + original_.file->why;
  cases::Case twin{
      .name = original_.name, .seed = original_.seed, .dtype = original_.dtype, .origin = original_.origin};
  std::map<Handle, ir::Value> placed;
  const auto add = [&](Handle h, bool as_param) {
    Tensor& tensor = tensors_[h];
    if (!tensor.numbers) {
      tensor.fill = dense_draws[0];
      tensor.numbers = drawn(h, dense_draws[0]);
    }
    placed.emplace(
        h, as_param ? file->graph.param(tensor.name, tensor.type) : file->graph.input(tensor.name, tensor.type));
    if (tensor.fill) {
      file->sources.emplace(tensor.name, ir::formats::Generated{*tensor.fill});
    } else if (const auto as_before = original_.file->sources.find(tensor.name);
               as_before != original_.file->sources.end()) {
      file->sources.insert(*as_before);
    }
    twin.feeds.emplace(tensor.name, std::move(*tensor.numbers));
  };
  const std::size_t inputs = graph_.inputs().size(), params = graph_.params().size();
  for (Handle h = 0; h < inputs; ++h) add(h, false);
  for (Handle h = graph_.value_count(); h < tensors_.size(); ++h) add(h, false);
  for (Handle h = inputs; h < inputs + params; ++h) add(h, true);
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    const ir::Node& node = graph_.nodes()[n];
    std::vector<ir::Value> read;
    for (const Handle h : operands_[n]) read.push_back(placed.at(h));
    const auto made = file->graph.add_all(node.label, node.op, read);
    for (std::size_t k = 0; k < made.size(); ++k) placed.emplace(node.outputs[k], made[k]);
  }
  for (const ir::Value v : graph_.results()) file->graph.returns(placed.at(v));
  for (const ir::Value v : lost_readers()) file->graph.returns(placed.at(v));
  twin.file = std::move(file);
  twin.fill = core::FillKind::exact;
  twin.proofs = std::move(proofs_);
  return twin;
}

cases::Case Builder::build() {
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    try {
      plan_node(n);
    } catch (const ir::Unsupported&) {
      throw;
    } catch (const ir::Error&) {
      feed_zero_indices(n);
      plan_node(n);
    }
  }
  return assemble();
}

}  // namespace

cases::Case make_twin(const cases::Case& original, ir::Executor& reference) {
  return Builder(original, reference).build();
}

}  // namespace plumb::parity::checks::exact
