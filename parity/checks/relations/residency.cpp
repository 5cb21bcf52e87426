// The relation `residency`: what runs on buffers and contexts give has the bits of `run`.
#include "parity/checks/relations/residency.hpp"

#include <algorithm>
#include <set>

#include "ir/residency.hpp"
#include "parity/checks/relations/host_buffers.hpp"
#include "parity/compare/element_counts.hpp"
#include "parity/core/other_inputs.hpp"

namespace plumb::parity::checks::relations {
namespace {

constexpr int most_steps = 3;

ir::Feeds part_of(const ir::Feeds& feeds, const std::vector<std::string>& names) {
  ir::Feeds part;
  for (const std::string& name : names) part.emplace(name, feeds.at(name));
  return part;
}

ir::Tensor read(const ir::Buffer& buffer) {
  ir::Tensor tensor(buffer.type());
  buffer.read(tensor.view());
  return tensor;
}

class ResidencyCheck {
 public:
  ResidencyCheck(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds, const ir::Tensors& results);

  std::vector<cases::RelationResult> run();

 private:
  std::unique_ptr<ir::Executable> compile(const std::shared_ptr<ir::Params>& params) {
    return executor_.compile(graph_, params, ir::CompileOptions{{graph_.results()}});
  }
  const std::string& name(ir::Value input) const { return graph_.inputs()[input]; }

  void ask();
  void run_in_flight(ir::Executable& executable);
  void run_bound(ir::Context& context);
  void run_imported(ir::Executable& executable);
  int run_fed(ir::Context& context, ir::Executable& through_host, ir::Feeds inputs);

  template <class Ask>
  bool holds(const std::string& way, const Ask& ask);
  template <class Made>
  bool are_equal(const std::string& way, const ir::Tensors& expected, const Made& made);
  void break_all(const std::string& way, const std::string& why);

  ir::Executor& executor_;
  const ir::Graph& graph_;
  const ir::Feeds& feeds_;
  const ir::Tensors& expected_;
  ir::Feeds inputs_;
  const std::vector<std::pair<ir::Value, ir::Value>> pairs_;
  std::map<ir::Value, cases::RelationResult> found_;  ///< by result that a node makes
  ir::Feeds turned_;                                  ///< other inputs
  std::optional<ir::Tensors> of_turned_;              ///< their results, unless `run` refuses them
  std::string how_;                                   ///< the ways that were asked
};

ResidencyCheck::ResidencyCheck(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds,
                               const ir::Tensors& results)
    : executor_(executor),
      graph_(graph),
      feeds_(feeds),
      expected_(results),
      inputs_(part_of(feeds, graph.inputs())),
      pairs_(feedable(graph)) {
  for (const ir::Value v : graph.results()) {
    if (graph.is_source(v)) continue;
    cases::RelationResult one{*graph.producer(v), graph.name(v), cases::Relation::residency};
    one.n = static_cast<std::uint64_t>(graph.type(v).shape.elements());
    found_.emplace(v, std::move(one));
  }
}

void add_breach(cases::RelationResult& to, std::uint64_t elements, const std::string& why) {
  to.verdict = core::Verdict::failed;
  to.n_bad = to.n_differ = std::max(to.n_bad, elements);
  to.why += (to.why.empty() ? "" : "; ") + why;
}

/// A breach that is of no elements is one of all.
void ResidencyCheck::break_all(const std::string& way, const std::string& why) {
  for (auto& [value, one] : found_) add_breach(one, one.n, ir::cat(way, ": ", why));
}

/// Whether one way holds. An error breaks it, since `run` made none.
template <class Ask>
bool ResidencyCheck::holds(const std::string& way, const Ask& ask) try {
  return ask();
} catch (const ir::DeviceError&) {
  throw;
} catch (const ir::Unsupported&) {
  throw;
} catch (const ir::Error& error) {
  break_all(way, error.what());
  return false;
}

/// `made`: the tensor of a result.
template <class Made>
bool ResidencyCheck::are_equal(const std::string& way, const ir::Tensors& expected, const Made& made) {
  bool is_equal = true;
  for (auto& [value, one] : found_) {
    const std::uint64_t count = compare::count_other_bits(made(value), expected.at(value));
    if (count == 0) continue;
    is_equal = false;
    add_breach(one, count, ir::cat(way, ": ", count, " of ", one.n, " elements have other bits"));
  }
  return is_equal;
}

/// The second run is on other inputs, where they are not refused: equal ones would hide that contexts share memory.
void ResidencyCheck::run_in_flight(ir::Executable& executable) {
  turned_ = core::turned(graph_, inputs_);
  of_turned_ = core::run_unless_refused(executable, turned_);
  const auto first = executable.context(), second = executable.context();
  holds("first context", [&] {
    const ir::Fence fence = first->submit(inputs_);
    holds("second context", [&] {
      second->submit(of_turned_ ? turned_ : inputs_).get();
      return are_equal("second context", of_turned_ ? *of_turned_ : expected_,
                       [&](ir::Value v) { return read(second->buffer(v)); });
    });
    fence.get();
    return are_equal("first context", expected_, [&](ir::Value v) { return read(first->buffer(v)); });
  });
}

void ResidencyCheck::run_bound(ir::Context& context) {
  std::map<ir::Value, ir::Buffer> from, to;
  holds("bound", [&] {
    for (ir::Value v = 0; v < graph_.inputs().size(); ++v) {
      ir::Buffer& buffer = from.emplace(v, executor_.allocate(graph_.type(v))).first->second;
      buffer.write(inputs_.at(name(v)));
      context.bind(v, buffer);
    }
    for (const auto& [value, one] : found_)
      context.bind_result(value, to.emplace(value, executor_.allocate(graph_.type(value))).first->second);
    context.submit().get();
    for (const auto& [input, buffer] : from)
      if (compare::count_other_bits(read(buffer), inputs_.at(name(input))) > 0)
        break_all("bound", ir::cat("the run wrote to the buffer of input '", name(input), "'"));
    return are_equal("bound", expected_, [&](ir::Value v) { return read(to.at(v)); });
  });
}

/// The host writes inputs where runs read them, and reads results where runs wrote them.
void ResidencyCheck::run_imported(ir::Executable& executable) {
  HostBuffers inputs(executor_), results(executor_);
  for (ir::Value v = 0; v < graph_.inputs().size(); ++v) inputs.make(v, graph_.type(v));
  for (const auto& [value, one] : found_) results.make(value, graph_.type(value));
  const std::size_t imported = inputs.imported() + results.imported(), all = inputs.with_bytes() + results.with_bytes();
  if (imported == 0) return;
  const auto context = executable.context();
  const auto run = [&](const std::string& way, const ir::Feeds& feeds, const ir::Tensors& expected) {
    return holds(way, [&] {
      for (ir::Value v = 0; v < graph_.inputs().size(); ++v) inputs.write(v, feeds.at(name(v)));
      context->submit().get();
      return are_equal(way, expected, [&](ir::Value v) { return results.read(v); });
    });
  };
  const bool is_bound = holds("imported", [&] {
    for (const auto& [value, buffer] : inputs.buffers()) context->bind(value, buffer);
    for (const auto& [value, buffer] : results.buffers()) context->bind_result(value, buffer);
    return true;
  });
  if (is_bound && run("imported", inputs_, expected_) && of_turned_)
    run("imported, written by the host", turned_, *of_turned_);
  how_ += imported == all ? ", imported" : ir::cat(", ", imported, " of ", all, " tensors imported");
}

/// Steps until one is wrong, or refused through the host; how many there were.
int ResidencyCheck::run_fed(ir::Context& context, ir::Executable& through_host, ir::Feeds inputs) {
  ir::Feeds rest = inputs;
  for (const auto& [result, input] : pairs_) rest.erase(name(input));
  const bool is_fed = holds("fed", [&] {
    for (const auto& [result, input] : pairs_) context.feed(result, input);
    for (const auto& [result, input] : pairs_) context.buffer(input).write(inputs.at(name(input)));
    return true;
  });
  if (!is_fed) return 0;
  std::optional<ir::Tensors> made;
  for (int step = 1;; ++step) {
    const ir::Tensors& expected = made ? *made : expected_;
    const std::string way = ir::cat("fed, step ", step);
    const bool is_equal = holds(way, [&] {
      context.submit(rest).get();
      return are_equal(way, expected, [&](ir::Value v) { return read(context.buffer(v)); });
    });
    if (!is_equal || step == most_steps) return step;
    for (const auto& [result, input] : pairs_) inputs.insert_or_assign(name(input), expected.at(result));
    made = core::run_unless_refused(through_host, inputs);
    if (!made) return step;
  }
}

/// Contexts are as large as the values of the graph: no more of them live at once than one way needs.
void ResidencyCheck::ask() {
  const auto params = executor_.hold(part_of(feeds_, graph_.params()));
  const auto executable = compile(params);
  run_in_flight(*executable);
  how_ = "two contexts";
  const auto sharing = compile(params);
  run_bound(*sharing->context());
  how_ += ", bound";
  run_imported(*sharing);
  if (pairs_.empty()) return;
  const int steps = run_fed(*sharing->context(), *executable, std::move(inputs_));
  how_ += ir::cat(", fed ", steps, steps == 1 ? " step" : " steps");
}

std::vector<cases::RelationResult> ResidencyCheck::run() {
  if (found_.empty()) return {};
  try {
    ask();
  } catch (const ir::Unsupported&) {
    // It has no contexts, or no buffers that are as large: `how_` tells what was asked before.
  }
  std::vector<cases::RelationResult> results;
  if (how_.empty()) return results;
  for (auto& [value, one] : found_) {
    one.how = how_;
    results.push_back(std::move(one));
  }
  return results;
}

}  // namespace

std::vector<std::pair<ir::Value, ir::Value>> feedable(const ir::Graph& graph) {
  std::vector<std::pair<ir::Value, ir::Value>> pairs;
  std::set<ir::Value> taken;
  for (const ir::Value result : graph.results())
    for (ir::Value input = 0; input < graph.inputs().size(); ++input)
      if (graph.type(result) == graph.type(input) && taken.insert(input).second) {
        pairs.emplace_back(result, input);
        break;
      }
  return pairs;
}

std::vector<cases::RelationResult> check_residency(ir::Executor& executor, const ir::Graph& graph,
                                                   const ir::Feeds& feeds, const ir::Tensors& results) {
  return ResidencyCheck(executor, graph, feeds, results).run();
}

}  // namespace plumb::parity::checks::relations
