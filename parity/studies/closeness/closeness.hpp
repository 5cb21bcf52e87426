#pragma once

// Two sets of tensors, held to each other by a rule of others or by a policy: which tensor is the first beyond its
// limit, at which element, and by how much.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/tensor.hpp"
#include "parity/core/verdict.hpp"
#include "parity/policy/policy.hpp"
#include "parity/studies/closeness/style.hpp"

namespace plumb::parity::studies::closeness {

/// How a pair of tensors came out.
enum class Standing {
  within,    ///< every element is within its limit
  beyond,    ///< an element is not, or a measure of the tensor
  other,     ///< another shape or dtype, or a dtype of which the rule says nothing: not compared
  unjudged,  ///< nothing in the policy says what it may be
};

constexpr auto enum_names(Standing) { return std::array<std::string_view, 4>{"within", "beyond", "other", "unjudged"}; }

/// One element of both, as text that tells it from its neighbours.
struct ElementPair {
  std::uint64_t index = 0;  ///< row-major
  std::string a, b;
  double error = 0, allowed = 0;  ///< as Element has them

  /// error / allowed; infinite where no error is allowed, or it is no number; NaN where nobody knows what is allowed.
  double ratio() const;
};

/// One pair of tensors. The worst element is one beyond its limit where any is, by ratio, then by error.
struct Compared {
  std::string name = {};       ///< that of a, after renaming
  std::string a = {}, b = {};  ///< their names in the files
  ir::TensorType type_a = {}, type_b = {};
  Standing standing = Standing::within;
  std::uint64_t differing = 0;                                  ///< elements with other bits
  std::uint64_t beyond = 0;                                     ///< elements beyond their limits
  std::optional<ElementPair> worst = {}, first = {};            ///< one that differs; one beyond its limit
  double of_tensor = std::numeric_limits<double>::quiet_NaN();  ///< ggml's error; NaN in other styles
  std::string why = {};                                         ///< the reason, where no single element says it
};

/// A policy in place of a style.
struct PolicyRule {
  const policy::Policy* policy = nullptr;
  std::chrono::sys_days today = {};
};

/// Holds a to b, whose types are those of `compared`, and says there how it came out.
void hold(const ir::TensorView& a, const ir::TensorView& b, const Rule& rule, Compared& compared);

/// Does so by the first rule of a policy that matches the tensor's name as a node, or its dtype, and by its budgets of
/// outputs; `b` is the truth. Rules that need the bound of a node cannot be told: the tensor is then unjudged.
void hold(const ir::TensorView& a, const ir::TensorView& b, const PolicyRule& rule, Compared& compared);

/// All pairs, in order, and what has no partner.
struct Comparison {
  std::string a, b;  ///< the files
  std::optional<Rule> rule = {};
  std::string policy = {};  ///< its file, where there is no rule
  std::vector<Compared> tensors = {};
  std::vector<std::string> only_a = {}, only_b = {};
  bool has_graph_order = false;  ///< a file said in which order the nodes are

  std::size_t count(Standing standing) const;
  /// The first tensor that is beyond its limit, or could not be compared; null where there is none.
  const Compared* first() const;
};

/// 2 where a pair could not be compared, 1 where one is beyond its limit, 4 where nothing says what one may be or, if
/// `strict`, one has no partner, 77 where there is no pair, else 0.
core::ExitCode exit_code(const Comparison& comparison, bool strict);

}  // namespace plumb::parity::studies::closeness
