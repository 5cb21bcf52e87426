// Hill climbing from the fills, and the files of what was found.
#include "parity/studies/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "ir/adversarial/adversarial.hpp"
#include "ir/raw/hash.hpp"
#include "parity/studies/search/moves.hpp"
#include "parity/verify/compile_once.hpp"

namespace plumb::parity::studies::search {
namespace {

constexpr double worth_keeping = 0.5;         // verdict.md V56
constexpr std::size_t children = 8;           // likewise
constexpr std::size_t steps_without_any = 8;  // then the next fill is tried

/// The root mean square of a node's limits over that of its numbers; 0 where either is not known.
double looseness(const cases::NodeResult& node) {
  const auto& limits = node.allowed.limits;
  if (limits == nullptr || !(node.local.expected_rms > 0) || !std::isfinite(node.local.expected_rms)) return 0;
  double squares = 0;
  for (const double limit : limits->probable.as<double>())
    if (std::isfinite(limit)) squares += limit * limit;
  return node.allowed.of_limits * std::sqrt(squares / static_cast<double>(node.local.n)) / node.local.expected_rms;
}

/// Sees the limits of each node before they are let go.
class Limits final : public cases::Observer {
 public:
  void compared(const cases::NodeResult& result, const ir::TensorView&, const ir::TensorView&) override {
    loose_[result.name()] = looseness(result);
  }
  double of(const std::string& node) const {
    const auto found = loose_.find(node);
    return found == loose_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, double> loose_;
};

double value_of(const cases::NodeResult& node, Objective objective, const Limits& limits) {
  switch (objective) {
    case Objective::ratio:
      return std::isnan(node.settled.first_ratio) ? node.local.ratio() : node.settled.first_ratio;
    case Objective::certain:
      return node.local.ratio_certain;
    case Objective::total:
      return node.of_run().ratio();
    case Objective::missed:
      break;
  }
  return limits.of(node.name());
}

/// One point of the search: numbers, and how good they are.
struct Point {
  cases::Case subject;
  std::string from;
  double value = 0;
};

class Climb {
 public:
  Climb(const cases::Executors& executors, const Options& options)
      : executors_(executors), once_(*executors.candidate), options_(options), random_(options.seed) {
    executors_.candidate = &once_;
    if (options.objective == Objective::total) verify_.mode = core::Mode::propagate;
    verify_.blame = 0;
  }

  Outcome run(const Start& start);

 private:
  bool is_over() const;
  void take_fills(const Start& start);
  void step(Point& at);
  double measure(const cases::Case& subject, const std::string& from);
  void keep(const cases::NodeResult& node, double value, const cases::Case& subject, const std::string& from);

  cases::Executors executors_;
  verify::CompileOnce once_;
  const Options& options_;
  verify::VerifyOptions verify_;
  std::mt19937_64 random_;
  std::vector<Point> points_;  ///< the fills, the best first
  Outcome outcome_;
  std::string why_none_;
  std::map<std::pair<std::string, bool>, Record> records_;  ///< by op, and whether it failed
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

bool Climb::is_over() const {
  if (options_.steps) return outcome_.steps >= *options_.steps;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count() >= options_.seconds;
}

void Climb::keep(const cases::NodeResult& node, double value, const cases::Case& subject, const std::string& from) {
  const bool is_failure = node.verdict == core::Verdict::failed;
  if (!is_failure && !(value > worth_keeping)) return;
  Record& record = records_[{node.op, is_failure}];
  if (!record.node.empty() && !(value > record.value)) return;
  record = {.node = node.name(),
            .op = node.op,
            .value = value,
            .is_failure = is_failure,
            .from = from,
            .step = outcome_.steps,
            .subject = subject};
}

/// The largest value of a node; 0 where the graph cannot be run on these numbers.
double Climb::measure(const cases::Case& subject, const std::string& from) try {
  ++outcome_.runs;
  Limits limits;
  const cases::CaseResult result = verify::verify(subject, executors_, verify_, limits);
  double largest = 0;
  for (const cases::NodeResult& node : result.nodes) {
    const double value = value_of(node, options_.objective, limits);
    if (node.verdict == core::Verdict::skipped) continue;
    if (std::isfinite(value)) largest = std::max(largest, value);
    keep(node, std::isfinite(value) ? value : 0, subject, from);
  }
  return largest;
} catch (const ir::DeviceError&) {
  throw;
} catch (const ir::Error& error) {
  why_none_ = error.what();
  return 0;
}

void Climb::take_fills(const Start& start) {
  for (std::size_t k = 0; k < ir::adversarial::kind_count; ++k) {
    const auto kind = static_cast<ir::AdversarialKind>(k);
    Point point{start(kind), std::string(ir::enum_name(kind))};
    point.subject.as_written.reset();  // the numbers are those of the search
    why_none_.clear();
    point.value = measure(point.subject, point.from);
    if (why_none_.empty()) points_.push_back(std::move(point));
    if (!options_.steps && is_over()) break;
  }
  if (points_.empty()) throw ir::Unsupported("nothing to search: " + why_none_);
  std::ranges::stable_sort(points_, std::greater{}, &Point::value);
  outcome_.first = outcome_.best = points_.front().value;
}

/// Goes to the best of the children, if it is better.
void Climb::step(Point& at) {
  const ir::Graph& graph = at.subject.file->graph;
  std::vector<ir::Value> inputs;
  for (ir::Value v = 0; v < graph.inputs().size(); ++v)
    if (ir::is_float(graph.type(v).dtype) && graph.type(v).shape.elements() > 0) inputs.push_back(v);
  ir::require(!inputs.empty(), at.subject.name, ": has no input of floats to search among");
  Point best = at;
  for (std::size_t child = 0; child < children; ++child) {
    Point next{at.subject, at.from};
    const ir::Value source = inputs[static_cast<std::size_t>(random_() % inputs.size())];
    change(graph, source, next.subject.feeds.find(graph.name(source))->second, random_);
    next.value = measure(next.subject, next.from);
    if (next.value > best.value) best = std::move(next);
    if (!options_.steps && is_over()) break;
  }
  at = std::move(best);
}

Outcome Climb::run(const Start& start) {
  take_fills(start);
  for (std::size_t p = 0; !is_over(); p = (p + 1) % points_.size())
    for (std::size_t vain = 0; vain < steps_without_any && !is_over(); ++vain) {
      const double before = points_[p].value;
      step(points_[p]);
      ++outcome_.steps;
      if (points_[p].value > before) vain = 0;
      outcome_.best = std::max(outcome_.best, points_[p].value);
    }
  for (auto& entry : records_) outcome_.records.push_back(std::move(entry.second));
  return std::move(outcome_);
}

}  // namespace

Outcome search(const Start& start, const cases::Executors& executors, const Options& options) {
  if (executors.candidate == nullptr) throw ir::Unsupported(executors.why_not);
  return Climb(executors, options).run(start);
}

std::string to_file(const Record& record, Objective objective) {
  ir::formats::GraphFile file = *record.subject.file;
  file.why = fmt::format("plumb search --for {} made this of {}: {:.3g} at '{}' ({})", ir::enum_name(objective),
                         record.from, record.value, record.node, record.op);
  file.sources.clear();
  file.decimals = {};
  for (const auto& [name, tensor] : record.subject.feeds) file.sources.insert_or_assign(name, tensor);
  file.expect_error.clear();
  file.must = record.is_failure ? ir::formats::Must::fail : ir::formats::Must::pass;
  return ir::formats::write_graph(file);
}

std::string file_name(const Record& record, Objective objective) {
  const std::string text = to_file(record, objective);
  const auto hash = ir::raw::hash_bytes(std::as_bytes(std::span(text.data(), text.size())));
  return fmt::format("{}-{}-{:08x}.json", record.op, ir::enum_name(objective), hash & 0xFFFFFFFF);
}

}  // namespace plumb::parity::studies::search
