// The relation `bucket`: a graph for larger extents gives the same where the graph for the exact ones has results.
#include "parity/checks/relations/bucket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/buckets.hpp"
#include "parity/checks/relations/whole_run.hpp"
#include "parity/element/terms/terms.hpp"

namespace plumb::parity::checks::relations {
namespace {

/// The value of result `k`.
ir::Value result(const WholeRun& run, std::size_t k) { return run.of.file->graph.results()[k]; }

bool is_part(const ir::TensorType& part, const ir::TensorType& whole) {
  return part.dtype == whole.dtype && part.shape.size() == whole.shape.size() &&
         std::ranges::equal(part.shape, whole.shape, std::less_equal{});
}

class BucketCheck {
 public:
  BucketCheck(const Bucket& bucket, const cases::Executors& executors, double lambda)
      : bucket_(bucket), executors_(executors), lambda_(lambda) {}

  std::vector<cases::RelationResult> run(const cases::Case& subject, const cases::NodeFilter& chosen) const;

 private:
  WholeRun run_side(const cases::Case& of, const std::string& extents) const;
  void judge(const WholeRun& exact, const WholeRun& rounded, std::size_t k, cases::RelationResult& found) const;
  void judge_exactly(const WholeRun& exact, const WholeRun& rounded, std::size_t k, cases::RelationResult& found) const;
  Limited limits_at(const WholeRun& run, std::size_t k) const {
    return limits_of(run, result(run, k), run.results.at(result(run, k)), lambda_);
  }
  std::string breach(const compare::Comparison& found, const ir::Shape& shape, bool do_truths_differ) const;

  const Bucket& bucket_;
  const cases::Executors& executors_;
  const double lambda_;
};

WholeRun BucketCheck::run_side(const cases::Case& of, const std::string& extents) const try {
  return whole_run_of(of, executors_, lambda_);
} catch (const ir::Unsupported&) {
  throw;
} catch (const ir::DeviceError&) {
  throw;
} catch (const ir::Error& error) {
  ir::fail("at ", extents, ": ", error.what());
}

/// Says what is wrong, the worst element by its place, and who is to blame: the model, whose truths differ, or the
/// candidate.
std::string BucketCheck::breach(const compare::Comparison& found, const ir::Shape& shape, bool do_truths_differ) const {
  if (found.worst.empty()) return compare::summary(found);
  const compare::Worst& worst = found.worst.front();
  const ir::Shape place(element::terms::position_of(static_cast<std::int64_t>(worst.index), shape));
  const std::string factor =
      std::isfinite(worst.ratio) ? fmt::format(", {:.3g} times as far apart as both may be", worst.ratio) : "";
  return fmt::format("{}: {} of {} elements differ; the worst is element {}, {:.9g} at {} and {:.9g} at {}{}",
                     do_truths_differ ? "padding reaches it"
                                      : "one of both is wrong, since padding does not reach it (the truths agree)",
                     found.n_bad, found.n, ir::cat(place), worst.expected, bucket_.exact, worst.got, bucket_.rounded,
                     factor);
}

/// Elements of both sides that a rounding on the way may change are nobody's fault.
void BucketCheck::judge_exactly(const WholeRun& exact, const WholeRun& rounded, std::size_t k,
                                cases::RelationResult& found) const {
  const ir::Tensor& got = exact.results.at(result(exact, k));
  const auto &own = exact.spreads.at(result(exact, k)), &padded = rounded.spreads.at(result(rounded, k));
  ir::Tensor open({ir::DType::u8, padded.truth.shape()});
  for (std::size_t i = 0; i < open.as<std::uint8_t>().size(); ++i)
    open.as<std::uint8_t>()[i] = padded.is_open(i) ? 1 : 0;
  const ir::Tensor is_open = ir::leading_part(open, got.shape());
  ir::Tensor held = ir::leading_part(rounded.results.at(result(rounded, k)), got.shape());
  const std::size_t bytes = ir::info(held.dtype()).bytes;
  for (std::size_t i = 0; i < is_open.as<std::uint8_t>().size(); ++i)
    if (own.is_open(i) || is_open.as<std::uint8_t>()[i] != 0)
      std::ranges::copy(got.bytes().subspan(i * bytes, bytes), held.bytes().subspan(i * bytes, bytes).begin());
  const compare::Allowed exactly{.rule = compare::Allowed::Rule::exact};
  const compare::Comparison compared = compare::compare(got, held, exactly);
  found.n = compared.n;
  found.n_bad = found.n_differ = compared.n_bad;
  if (compared.agrees()) return;
  const bool differ = !compare::compare(own.truth, ir::leading_part(padded.truth, got.shape()), exactly).agrees();
  found.verdict = core::Verdict::failed;
  found.why = breach(compared, got.shape(), differ);
}

void BucketCheck::judge(const WholeRun& exact, const WholeRun& rounded, std::size_t k,
                        cases::RelationResult& found) const {
  const ir::Tensor& got = exact.results.at(result(exact, k));
  if (ir::unit_roundoff(got.dtype()) == 0) return judge_exactly(exact, rounded, k, found);
  const ir::Shape& shape = got.shape();
  const Limited padded = limits_at(rounded, k);
  const Limited limited =
      both(limits_at(exact, k), {ir::leading_part(padded.limits, shape), ir::leading_part(padded.apart, shape)});
  const ir::Tensor other = ir::leading_part(rounded.results.at(result(rounded, k)), shape);
  const compare::Comparison compared = hold_within(got, other, limited, found);
  if (compared.agrees()) return;
  // Where the truths are as far apart as half of the limits, no candidate would do.
  Limited half = limited;
  for (double& limit : half.limits.as<double>()) limit /= 2;
  cases::RelationResult of_truths;
  const ir::Tensor truth = ir::leading_part(rounded.spreads.at(result(rounded, k)).truth, shape);
  hold_within(exact.spreads.at(result(exact, k)).truth, truth, half, of_truths);
  found.why = breach(compared, shape, of_truths.n_bad > 0);
}

std::vector<cases::RelationResult> BucketCheck::run(const cases::Case& subject, const cases::NodeFilter& chosen) const {
  const ir::Graph& graph = subject.file->graph;
  std::vector<cases::RelationResult> results;
  std::vector<std::size_t> numbers;  // [i] says where results[i] stands among those of the graph
  for (std::size_t k = 0; k < graph.results().size(); ++k) {
    const ir::Value v = graph.results()[k];
    if (graph.is_source(v) || !chosen.takes(graph.nodes()[*graph.producer(v)])) continue;
    numbers.push_back(k);
    results.push_back({*graph.producer(v), graph.name(v), cases::Relation::bucket,
                       fmt::format("{} for {}", bucket_.rounded, bucket_.exact)});
  }
  if (results.empty()) return results;
  try {
    const WholeRun exact = run_side(subject, bucket_.exact), rounded = run_side(bucket_.padded, bucket_.rounded);
    for (std::size_t i = 0; i < numbers.size(); ++i) judge(exact, rounded, numbers[i], results[i]);
  } catch (const bounds::NoModel& lack) {
    for (cases::RelationResult& one : results) {
      one.verdict = core::Verdict::error;
      one.why = lack.what();
    }
  }
  return results;
}

}  // namespace

Bucket pad(const cases::Case& subject, cases::Case larger, std::string exact, std::string rounded) {
  const ir::Graph &graph = subject.file->graph, &with = larger.file->graph;
  const auto require_part = [&](const char* what, const std::string& name, const ir::TensorType& part,
                                const ir::TensorType& whole) {
    ir::require(is_part(part, whole), subject.name, ": ", what, " '", name, "' is ", part, " at ", exact, " and ",
                whole, " at ", rounded, ": the one is no part of the other");
  };
  for (const std::string& name : graph.inputs())
    ir::require(std::ranges::find(with.inputs(), name) != with.inputs().end(), subject.name, ": input '", name,
                "' is not there at ", rounded);
  for (ir::Value v = 0; v < with.inputs().size(); ++v) {
    const std::string& name = with.inputs()[v];
    const auto found = subject.feeds.find(name);
    ir::require(found != subject.feeds.end(), subject.name, ": input '", name, "' is not there at ", exact);
    require_part("input", name, found->second.type(), with.type(v));
    larger.feeds.insert_or_assign(name, ir::padded(found->second, with.type(v)));
  }
  for (const std::string& name : subject.origin.given)
    if (const auto own = larger.feeds.find(name); own != larger.feeds.end())
      if (own->second.type() == subject.feeds.at(name).type()) own->second = subject.feeds.at(name);
  ir::require(graph.results().size() == with.results().size(), subject.name, ": has ", graph.results().size(),
              " results at ", exact, " and ", with.results().size(), " at ", rounded);
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    require_part("result", graph.name(graph.results()[k]), graph.type(graph.results()[k]),
                 with.type(with.results()[k]));
  return {std::move(larger), std::move(exact), std::move(rounded)};
}

std::vector<cases::RelationResult> check_bucket(const cases::Case& subject, const Bucket& bucket,
                                                const cases::Executors& executors, const cases::NodeFilter& filter,
                                                double lambda) {
  if (executors.candidate == nullptr) throw ir::Unsupported(executors.why_not);
  return BucketCheck(bucket, executors, lambda).run(subject, filter);
}

void add_bucket(const cases::Case& subject, const Bucket& bucket, const cases::Executors& executors,
                const cases::NodeFilter& filter, cases::CaseResult& result) {
  auto found = check_bucket(subject, bucket, executors, filter, result.false_alarms.lambda());
  if (found.empty()) result.notes.push_back("--bucket compares nothing: no node of a result is chosen");
  for (cases::RelationResult& one : found) {
    if (core::is_worse(one.verdict, result.verdict)) result.verdict = one.verdict;
    result.relations.push_back(std::move(one));
  }
}

}  // namespace plumb::parity::checks::relations
