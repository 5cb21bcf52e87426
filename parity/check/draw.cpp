// Draws extents for the letters of an op's operands, and keeps what the op accepts.
#include "parity/check/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/loops.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::check {
namespace {

constexpr std::size_t most_attempts = 96;  ///< for one kind of extents

/// The dtype of an operand for which no other operand decides.
ir::DType dtype_of(const Operand& operand, ir::DType wanted) {
  if (operand.dtypes.contains(wanted)) return wanted;
  const bool is_wide = wanted == ir::DType::f64 || wanted == ir::DType::c128;
  for (const ir::DType dtype : {is_wide ? ir::DType::c128 : ir::DType::c64, ir::DType::i64, ir::DType::boolean})
    if (operand.dtypes.contains(dtype)) return dtype;
  for (std::size_t i = 0; i < ir::dtype_count; ++i)
    if (operand.dtypes.contains(static_cast<ir::DType>(i))) return static_cast<ir::DType>(i);
  return wanted;
}

std::vector<ir::DType> dtypes_of(const std::vector<Operand>& operands, ir::DType wanted) {
  std::vector<ir::DType> found;
  for (const Operand& one : operands) {
    const auto like = std::ranges::find(operands, one.like, &Operand::name);
    const bool has_like = !one.like.empty() && like != operands.end() && like - operands.begin() < std::ssize(found);
    found.push_back(has_like ? found[static_cast<std::size_t>(like - operands.begin())] : dtype_of(one, wanted));
  }
  return found;
}

/// Throws Error where no operand has the dtype that the user asks for.
void require_taken(const ir::Op& op, const std::vector<Operand>& operands, ir::DType wanted) {
  const auto takes = [wanted](const Operand& one) { return one.dtypes.contains(wanted); };
  if (operands.empty() || std::ranges::any_of(operands, takes)) return;
  ir::fail(op.name(), " has no operand of dtype ", wanted, ": ", operands.front().name, " takes ",
           operands.front().dtypes);
}

/// Throws Error unless each letter is one of the op's.
void require_letters(const ir::Op& op, const Sketch& sketch, const Letters& given) {
  const std::vector<std::string> names = letters_of(sketch);
  for (const auto& [letter, number] : given) {
    if (std::ranges::find(names, letter) != names.end()) continue;
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    ir::fail(op.name(), " has no extent '", letter, "'", core::did_you_mean(letter, names), "; it has ",
             all.empty() ? "none that are drawn" : all);
  }
}

/// Whether the shapes are small enough to be looked at, before anything multiplies their extents.
bool are_small(const std::vector<ir::Shape>& shapes, double most_elements) {
  double elements = 0;
  for (const ir::Shape& shape : shapes) {
    if (shape.rank() > ir::max_rank) return false;
    double product = 1;
    for (const std::int64_t extent : shape) product *= static_cast<double>(std::max<std::int64_t>(extent, 1));
    elements += product;
  }
  return elements <= most_elements;
}

/// Why a node on these operands is not tried; "" where it is: it must be cheap, and its indices have somewhere to
/// point. Throws Error where the op refuses the operands.
std::string objection(const ir::Op& op, const ir::TensorTypes& in, const DrawOptions& options) {
  const ir::TensorTypes out = ir::infer(op, in);
  double elements = 0;
  for (const ir::TensorTypes* const types : {&in, &out})
    for (const ir::TensorType& type : *types) elements += static_cast<double>(type.shape.elements());
  if (elements > 4 * options.most_elements || op.schema().cost(op, in, out).flops > options.most_flops)
    return "shapes that it accepts take too much work to be drawn";
  const ir::Loops loops = ir::loops_of(op, in, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const ir::OperandUse use = loops.operand(i);
    if (use.role == ir::Role::index && use.low >= use.high && in[i].shape.elements() > 0)
      return "shapes that it accepts leave its indices nothing to point to";
  }
  return "";
}

}  // namespace

Shapes::Shapes(ir::Op op, DrawOptions options) : op_(std::move(op)), options_(std::move(options)) {
  Random random(options_.seed);
  const Sketch sketch = sketch_of(op_, random);
  require_letters(op_, sketch, options_.multiples);
  if (options_.dtype) {
    require_taken(op_, sketch.operands, *options_.dtype);
    dtypes_ = {*options_.dtype};
  } else {
    dtypes_ = {ir::DType::f32, ir::DType::i32, ir::DType::boolean, ir::DType::c64};
  }
}

std::optional<ir::TensorTypes> Shapes::attempt(std::size_t number, std::size_t attempt) {
  // Each attempt has numbers of its own, however many the attempts before it drew.
  std::seed_seq mixed{options_.seed & 0xffffffffu, options_.seed >> 32, std::uint64_t{number}, std::uint64_t{attempt}};
  Random random(mixed);
  Sketch sketch = sketch_of(op_, random);
  for (const auto& [letter, multiple] : options_.multiples) {
    std::int64_t& together = sketch.multiples.try_emplace(letter, 1).first->second;
    together = std::lcm(together, multiple);
  }
  sketch.more_axes = options_.more_axes;
  const GivenOperand* const given = options_.given ? &*options_.given : nullptr;
  if (given != nullptr && !bind(sketch, given->operand, given->type.shape, random)) return std::nullopt;
  const auto drawn = shapes_of(sketch, extents_of(number), attempt, random);
  if (!drawn || !are_small(*drawn, options_.most_elements)) return std::nullopt;
  for (const ir::DType wanted : std::vector(dtypes_)) {
    const std::vector<ir::DType> dtypes = dtypes_of(sketch.operands, wanted);
    ir::TensorTypes types;
    for (std::size_t i = 0; i < drawn->size(); ++i) types.push_back({dtypes[i], (*drawn)[i]});
    if (given != nullptr && types.at(given->operand) != given->type) continue;
    try {
      refusal_ = objection(op_, types, options_);
      if (!refusal_.empty()) return std::nullopt;
      dtypes_ = {wanted};
      return types;
    } catch (const ir::Error& error) {
      refusal_ = error.what();
    }
  }
  return std::nullopt;
}

std::optional<ir::TensorTypes> Shapes::of_kind(Extents kind, std::size_t attempts) {
  for (std::size_t k = 0; k < attempts; ++k)
    if (auto types = attempt(static_cast<std::size_t>(kind), k)) return types;
  return std::nullopt;
}

std::optional<ir::TensorTypes> Shapes::next() {
  // An op with few shapes that fit, or one with none, runs out of kinds of extents.
  for (std::size_t kinds = 0; kinds < 2 * extent_kinds; ++kinds, ++number_) {
    for (std::size_t k = 0; k < most_attempts; ++k) {
      auto types = attempt(number_, k);
      if (!types) continue;
      std::string text;
      for (const ir::TensorType& type : *types) text += ir::cat(type, ';');
      if (!seen_.insert(text).second) continue;
      ++number_;
      return types;
    }
  }
  return std::nullopt;
}

std::vector<ir::TensorTypes> draw(const ir::Op& op, const DrawOptions& options, std::size_t count) {
  Shapes shapes(op, options);
  std::vector<ir::TensorTypes> found;
  while (found.size() < count) {
    auto types = shapes.next();
    if (!types) break;
    found.push_back(std::move(*types));
  }
  ir::require(!found.empty(), op.name(),
              ": no shapes were found that it accepts; give the type of each operand by --in",
              shapes.refusal().empty() ? "" : ". Of the last ones it says: " + shapes.refusal());
  return found;
}

}  // namespace plumb::parity::check
