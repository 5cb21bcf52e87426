// Single elements of a node's results, on operands drawn from what is known of them: by the definition of its op.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.hpp"
#include "ir/loops.hpp"
#include "parity/element/call.hpp"
#include "parity/studies/lint/value_estimate.hpp"

namespace plumb::parity::studies::lint {

/// How sure it is that something happens: whatever the operands are, to judge by numbers that are typical of them, or
/// for some numbers that they may have.
enum class Level { possible, likely, sure };

constexpr auto enum_names(Level) { return std::array<std::string_view, 3>{"possible", "likely", "sure"}; }

/// How often something came up, of elements of each kind that were asked for.
struct Tally {
  std::uint32_t typical = 0;  ///< operands as they typically are
  std::uint32_t pushed = 0;   ///< one operand at a likely extreme
  std::uint32_t corner = 0;   ///< operands at the ends of their ranges

  /// `all`: how many elements had a number at all. Nothing where it never came up.
  std::optional<Level> level(const Tally& all) const;
};

/// The elements of one result that were asked for, taken together.
struct NodeSample {
  std::vector<Drawn> typical = {};         ///< before they are stored
  double low = 0, high = 0;                ///< extremes of all elements
  double pushed_low = 0, pushed_high = 0;  ///< extremes of those with an operand at a likely extreme
  bool is_pointwise = false;               ///< an element reads one element of each operand at most
  double reads = 0;                        ///< elements of operands that an element reads, at most
  Tally asked = {};
  Tally nan = {};     ///< NaN of operands without NaN
  Tally pole = {};    ///< infinite where no operand is large: a division by 0, its like
  Tally masked = {};  ///< a row of which nothing is seen
  Tally beyond = {};  ///< stored in the dtype, it would overflow
  std::vector<double> nan_operands = {}, pole_operands = {};  ///< those of the first such element, if they are few
  std::vector<double> conditions = {};                        ///< by element: how much relative errors of operands grow
};

/// Draws elements. The numbers of a run are the same for the same graph: nothing here depends on threads or the clock.
class NodeSampler {
 public:
  /// `values` are by number, and known of all operands of the nodes that are asked for.
  NodeSampler(const ir::Graph& graph, const std::vector<ValueEstimate>& values);

  /// Elements of output `k`; nothing where none has an answer: the op draws, or takes more steps than are taken here.
  std::optional<NodeSample> sample(const ir::Node& node, std::size_t k);

  /// All of output `k`, in f64 or c128, of a node whose operands are known number by number; nothing where that is much
  /// work, or an element has no answer.
  std::optional<ir::Tensor> folded(const ir::Node& node, std::size_t k);

  /// Elements of the op on reals in place of integers, which show by how much these overflow; nothing where it takes
  /// none.
  std::optional<NodeSample> sample_as_reals(const ir::Node& node, std::size_t k);

 private:
  enum class Draw { typical, pushed, corner };
  /// The operands of a node as its element reads them; those behind them are computed, `depth` nodes deep.
  struct Cone {
    ir::TensorTypes types;
    std::vector<element::Operand> operands;
    double work = 1;      ///< reads of operands by an element of the node at hand
    double elements = 1;  ///< elements of the result
    int depth = 0;
  };
  /// An element of a value that is taken to be a number.
  struct Pushed {
    ir::Value value;
    std::int64_t index;
    double number;
  };
  /// The reads of the element at hand.
  struct Reads {
    std::vector<std::int64_t> counts;    ///< by operand
    std::vector<double> first;           ///< by operand: its first number
    std::vector<std::int64_t> first_at;  ///< and where that was
    bool has_nan = false, has_infinity = false, has_zero = false, is_pointwise = true;
    double largest = 0;
  };

  void begin(const ir::Node& node, std::size_t k, ir::TensorTypes in, const ir::TensorType& out, int depth);
  std::optional<NodeSample> sampled();
  void measure(NodeSample& made);
  void push(NodeSample& made);
  void turn_corners(NodeSample& made);
  void weigh_conditions(NodeSample& made);
  bool evaluate(NodeSample& made, std::int64_t index, Draw draw);
  std::optional<element::Number> element_at(std::int64_t index);
  void take(NodeSample& made, const element::Number& y);
  void take_number(NodeSample& made, const element::Number& y);
  std::int64_t position(std::uint64_t round) const;

  Cone& cone(const ir::Node& node, int depth, double work);
  double share_of(ir::Value value, const Cone& at) const;
  bool computes(ir::Value value, const Cone& at) const;
  element::Number read_root(std::size_t operand, ir::Value value, std::int64_t index, bool is_computed);
  element::Number read(ir::Value value, std::int64_t index, const Cone& at, bool is_computed);
  std::optional<element::Number> computed(ir::Value value, std::int64_t index, const Cone& at);
  Drawn drawn(ir::Value value, std::int64_t index);
  double corner_of(ir::Value value, std::int64_t index);

  const ir::Graph& graph_;
  const std::vector<ValueEstimate>& values_;
  std::map<const ir::Node*, double> reads_of_;  ///< elements that an element of a node reads

  // These belong to the node at hand.
  const ir::Node* node_ = nullptr;
  const ir::TensorType* out_ = nullptr;
  std::size_t output_ = 0;
  double limit_ = 0;  ///< from here on a number is not stored
  std::vector<ir::Role> roles_;
  std::int64_t spent_ = 0;                              ///< reads so far
  static constexpr std::int64_t most_spent_ = 200'000;  ///< no element is begun beyond
  std::map<std::pair<const ir::Node*, int>, Cone> cones_;
  const Cone* root_ = nullptr;  ///< its own operands

  // These belong to the element at hand.
  Reads reads_;
  Draw draw_ = Draw::typical;
  std::uint64_t round_ = 0;
  std::int64_t work_left_ = 0;
  bool is_recorded_ = false;
  std::optional<Pushed> pushed_;
  std::map<ir::Value, std::size_t> slots_;      ///< values in the order in which elements first read them
  std::map<ir::Value, std::int64_t> first_of_;  ///< the first element of a value that is read
  std::map<ir::Value, std::unordered_map<std::int64_t, element::Number>> known_;
};

}  // namespace plumb::parity::studies::lint
