// Asks a function for the values of a graph.
#include "parity/foreign/callback.hpp"

#include <algorithm>

#include "ir/raw/float_environment.hpp"
#include "parity/cases/case.hpp"
#include "parity/foreign/answers.hpp"
#include "parity/foreign/value_names.hpp"

namespace plumb::parity::foreign {
namespace {

/// A function and what is known of it.
struct Called {
  Callback callback;
  CallbackOptions options;
};

class CallbackExecutable final : public ir::Executable {
 public:
  CallbackExecutable(const Called& called, const ir::Graph& graph, std::shared_ptr<const ir::formats::GraphFile> model,
                     std::vector<ir::Value> asked, std::vector<ir::Value> required, LastRun& last)
      : called_(called),
        graph_(graph),
        model_(std::move(model)),
        names_(graph_, model_.get()),
        asked_(std::move(asked)),
        required_(std::move(required)),
        last_(last) {
    for (const ir::Value value : asked_)
      questions_.push_back({.name = names_.name(value),
                            .type = graph_.type(value),
                            .is_required = std::ranges::find(required_, value) != required_.end()});
  }

  ir::Tensors run(const ir::Feeds& inputs) override {
    const ir::OneAtATime::Run alone(runs_);
    const ir::raw::FloatEnvironment environment;
    ir::Feeds copies;
    for (const std::string& input : graph_.inputs()) copies.emplace(input, fed(graph_, inputs, *graph_.find(input)));
    last_ = {};
    Answers answers(ir::cat("candidate '", called_.options.name, "'"), graph_, names_, asked_, called_.options.storage);
    for (auto& [name, tensor] : call(copies))
      if (const auto value = answers.wanted_by(name)) answers.add(name, *value, std::move(tensor));
    for (const std::string& input : graph_.inputs()) {
      const auto copy = copies.find(input);
      const ir::Tensor& own = fed(graph_, inputs, *graph_.find(input));
      if (copy == copies.end() || !std::ranges::equal(copy->second.bytes(), own.bytes()))
        answers.fail("changed its input '", input, "'");
    }
    answers.require_all(required_);
    for (const auto& [value, tensor] : answers.values) last_.pairing.emplace(value, Pairing::exact);
    last_.notes = answers.notes();
    return std::move(answers.values);
  }

  std::vector<ir::NodeReport> nodes() const override {
    std::vector<ir::NodeReport> made = foreign_nodes(graph_);
    if (made.size() == 1) made.front().sums = called_.options.sums;
    return made;
  }

 private:
  AnsweredValues call(ir::Feeds& inputs) const {
    const ir::raw::CallersFloatEnvironment callers;
    return called_.callback(inputs, questions_);
  }

  const Called& called_;
  const ir::Graph graph_;
  const std::shared_ptr<const ir::formats::GraphFile> model_;
  const ValueNames names_;
  const std::vector<ir::Value> asked_, required_;
  LastRun& last_;
  std::vector<AskedValue> questions_;
  ir::OneAtATime runs_;
};

class CallbackCandidate final : public Candidate {
 public:
  CallbackCandidate(Callback callback, CallbackOptions options) : called_{std::move(callback), std::move(options)} {}

  std::string_view name() const override { return called_.options.name; }

  Description description() const override {
    return {.kind = std::string(callback_kind),
            .spec = called_.options.name,
            .name = called_.options.name,
            .version = "",
            .device = "",
            .keeps_subnormals = called_.options.keeps_subnormals};
  }

  void begins(const cases::Case& subject) override { file_ = subject.file; }
  bool computes() const override { return called_.options.computes; }
  Storage storage() const override { return called_.options.storage; }
  const std::map<ir::Value, Pairing>& pairing() const override { return last_.pairing; }
  std::vector<std::string> notes() const override { return last_.notes; }

  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& /*params*/,
                                          const ir::Capture& capture) override {
    if (!file_ || !is_same_graph(file_->graph, graph))
      throw ir::Unsupported(ir::cat("candidate '", name(),
                                    "' computes its graph as a whole; --mode attribute judges each node on its own "
                                    "operands"));
    if (capture.surviving && capture.as_plain)
      throw ir::Unsupported(
          ir::cat("candidate '", name(), "' cannot copy values out of a run that is asked for its results alone"));
    const Taps taps = capture.surviving ? called_.options.taps : Taps::results;
    return std::make_unique<CallbackExecutable>(called_, graph, file_, asked_for(graph, capture, taps), capture.wanted,
                                                last_);
  }

 private:
  const Called called_;
  std::shared_ptr<const ir::formats::GraphFile> file_;
  LastRun last_;
};

}  // namespace

std::unique_ptr<Candidate> candidate_of(Callback callback, CallbackOptions options) {
  return std::make_unique<CallbackCandidate>(std::move(callback), std::move(options));
}

}  // namespace plumb::parity::foreign
