#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/bounds/runs/choices.hpp"
#include "parity/compare/telling.hpp"

namespace plumb::parity::bounds::runs {

/// How another implementation is taken to have computed a graph.
struct Precision {
  double unit = 0x1p-24;               ///< unit roundoff of its results
  double operands = 0;                 ///< unit roundoff of the operands of its products, where these are rounded
  std::optional<ir::DType> kept = {};  ///< the dtype of every kept value, where that is narrower than the graph's
  double of_variance = 1;  ///< factor of the variances: of an implementation in f64 they are 2⁻⁵⁸ of f32's
  double sums = 0;         ///< unit roundoff of the accumulator of products; 0: that of f32
  /// Whether another implementation computed: quotients, roots and powers that are numbers of the type come out as they
  /// are, as by IEEE 754, and what a graph has in f64 is moved by the roundings of f32.
  bool is_another = false;
  /// The only error there is, absolute, of every result of a sigmoid, tanh, exp and their like; 0: roundings.
  double of_functions = 0;
};

/// How many runs there are, at most 64, and how many standard deviations an element may be off by which it decides
/// something.
struct Sampling {
  unsigned runs = 8;
  double lambda = 6;
};

/// How far roundings that another implementation may have made differently move one value of a graph.
struct Spread {
  ir::Tensor truth;         ///< as the widened graph has it
  ir::Tensor variance;      ///< f64, of the truth's shape: the mean square of its changes
  compare::Line line = {};  ///< elements that share a scale
  /// The values of elements that are integers or bools, or hang on some that are.
  std::optional<Admissible> admissible = {};

  /// The value on the way to it that is beyond the range of the narrowest type of the run, in words; "" where none is.
  std::string beyond = "";

  bool is_open(std::size_t i) const { return admissible && admissible->open[i]; }
};

/// λ√(v + the mean v of its line), element by element, with λ of the run. Where v is not finite, a rounding may make
/// the result infinite or a NaN: such an element is set apart. Elements that hang on a choice have no part in the mean,
/// and no v.
compare::Limits limits_of(const Spread& spread, double lambda);

/// Adds to the limits of elements that hang on a choice how far it may take them.
void add_choices(const Spread& spread, compare::Limits& limits);

/// The truth of a segment, and how far each element of it may be off in any implementation. Throws NoModel.
using Evaluate = std::function<bounds::Bounded(ir::Executor& reference, const core::Segment& segment,
                                               const ir::Feeds& fed, const bounds::Manner& manner)>;
/// By the error models of ops alone.
bounds::Bounded evaluate_by_error_models(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                                         const bounds::Manner& manner);

/// The widened graph, evaluated node by node, and several times more with ±σ added to every element that is not exact,
/// all side by side. Operands of a node must have been evaluated before it.
class SignRuns {
 public:
  /// All that is referred to must outlive it.
  SignRuns(ir::Executor& reference, const ir::Graph& graph, const ir::Feeds& feeds, const Precision& precision,
           const Sampling& sampling, Evaluate evaluate = evaluate_by_error_models)
      : reference_(reference),
        graph_(graph),
        feeds_(feeds),
        precision_(precision),
        runs_(sampling.runs),
        lambda_(sampling.lambda),
        evaluate_(std::move(evaluate)) {}

  /// Evaluates node `n` as a segment that computes it does: σ is that of the segment's error models in this manner,
  /// with chance taken once. Throws NoModel where there is none.
  void step(std::size_t n, const core::Segment& segment, bounds::Manner manner = {});
  /// Has a value that was evaluated be `truth` instead, since decisions are followed that the truth of its node does
  /// not share. A decision itself is the same in all runs; what hangs on one is moved by roundings as it was.
  void follow(ir::Value v, const ir::Tensor& truth, bool is_decision);
  /// An output of a node under decisions, on operands that are widened, and how far it may be off besides.
  struct Settled {
    ir::Tensor value;
    compare::Allowed allowed;
  };
  /// Has output `k` of node `n`, which was evaluated, be what it is under decisions that are followed, in the truth and
  /// in every run by the operands of each.
  void settle(std::size_t n, std::size_t k, const core::Segment& segment,
              const std::function<Settled(const ir::Feeds& fed)>& under);
  /// Whether elements of a real value that was evaluated hang on a choice.
  bool is_open(ir::Value v) const;
  bool has(ir::Value v) const { return graph_.is_source(v) || values_.contains(v); }
  /// How far the runs moved a value that was evaluated.
  Spread spread(ir::Value v) const;
  /// Lets go of values that nobody asks for again.
  void keep_only(const std::function<bool(ir::Value)>& is_needed);
  void forget(ir::Value v);

 private:
  /// The truth of a value, and what the runs made of it.
  struct Moving {
    ir::Tensor truth;
    std::vector<ir::Tensor> runs = {};  ///< empty: as the truth
    std::optional<Admissible> admissible = {};
    std::string beyond = {};
  };
  struct OwnRounding;

  ir::Tensor truth_of(ir::Value v) const;
  std::vector<Moving> run_all(const core::Segment& segment, const ir::Graph& wide, ir::Feeds fed, bool rounds_operands,
                              std::vector<ir::Tensor> truths, std::size_t n) const;
  bounds::Bounded bounded_or_spread(const core::Segment& segment, const ir::Feeds& fed,
                                    const bounds::Manner& manner) const;
  static void move(
      Moving& value, std::size_t node, std::size_t output, const std::function<double(std::size_t)>& sigma,
      const std::function<bool(double)>& is_exact = [](double) { return false; });
  static void round(Moving& value, std::size_t node, std::size_t output, const OwnRounding& own);
  std::vector<Choice> choices(const core::Segment& segment, const ir::Graph& wide, const ir::Feeds& fed,
                              std::span<const ir::Tensor> truths) const;
  Wavering wavering(ir::Value v, const ir::Tensor& truth) const;
  std::string beyond_range(std::size_t n, const ir::Tensor& truth, ir::DType dtype) const;

  ir::Executor& reference_;
  const ir::Graph& graph_;
  const ir::Feeds& feeds_;
  const Precision precision_;
  const unsigned runs_;
  const double lambda_;
  const Evaluate evaluate_;
  std::map<ir::Value, Moving> values_;        ///< outputs of nodes, while they are needed
  std::map<ir::Value, compare::Line> lines_;  ///< for each value
};

/// How the kernel of node `n` computes it, as a segment.
using MannerOf = std::function<bounds::Manner(std::size_t n, const core::Segment& segment)>;

/// Evaluates the widened graph, and several times more with ±σ added to every element that is not exact: σ
/// is what its own node may have rounded there, by the limits of its error model with chance taken once, and the signs
/// are drawn by node and by the true value, so that elements that are equal err alike (verdict.md V44). Values of
/// `wanted` are kept. Without `manner_of` every sum is a chain. Throws NoModel for an op of which `evaluate` knows no
/// limits, and what the executor throws.
std::map<ir::Value, Spread> spread_of(ir::Executor& reference, const ir::Graph& graph, const ir::Feeds& feeds,
                                      std::span<const ir::Value> wanted, const Precision& precision,
                                      const Sampling& sampling, const Evaluate& evaluate = evaluate_by_error_models,
                                      const MannerOf& manner_of = {});

}  // namespace plumb::parity::bounds::runs
