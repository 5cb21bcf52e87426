// Draws attributes, a dtype and extents until the op accepts them.
#include "parity/studies/fuzz/draw_op.hpp"

#include <algorithm>

#include "ir/loops.hpp"
#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {
namespace {

using check::Extents;
using ir::DType;

constexpr std::size_t shapes_tried = 12;                           ///< for each try of attributes
constexpr double usual_elements = 0x1p15, tall_elements = 0x1p19;  ///< all operands together have at most so many
constexpr double usual_flops = 0x1p22, tall_flops = 0x1p24;

Extents draw_extents(bool is_small, Chooser& choose) {
  if (!is_small && choose.once_in(100)) return Extents::tall;
  if (choose.once_in(40)) return Extents::empty;
  return choose.one_of({Extents::small, Extents::small, Extents::ones, Extents::near_16, Extents::near_16,
                        Extents::near_32, Extents::near_32, Extents::primes, Extents::primes, Extents::powers,
                        Extents::near_64, Extents::near_256, Extents::long_prime, Extents::odd_rows});
}

/// The dtype that most operands have; nothing leaves it to the op.
std::optional<DType> draw_dtype(Chooser& choose) {
  const std::uint64_t percent = choose.below(100);
  if (percent < 40) return DType::f32;
  if (percent < 56) return DType::f16;
  if (percent < 72) return DType::bf16;
  if (percent < 77) return DType::f64;
  if (percent < 92) return std::nullopt;
  return choose.one_of({DType::i32, DType::i64, DType::i16, DType::i8, DType::u8, DType::u16, DType::u32,
                        DType::boolean, DType::c64, DType::c128});
}

std::optional<ir::TensorTypes> draw_types(const ir::Op& op, const check::DrawOptions& options, Extents extents) {
  try {
    return check::Shapes(op, options).of_kind(extents, shapes_tried);
  } catch (const ir::Error&) {  // no operand takes the dtype
    if (!options.dtype || options.given) return std::nullopt;
  }
  check::DrawOptions any = options;
  any.dtype = std::nullopt;
  return draw_types(op, any, extents);
}

std::optional<DrawnOp> draw_once(const ir::OpSchema& schema, const Wanted& wanted, Extents extents, Chooser& choose) {
  std::optional<DType> dtype = draw_dtype(choose);
  if (wanted.given) dtype = wanted.given->type.dtype;
  const bool is_tall = extents == Extents::tall;
  check::DrawOptions options{.dtype = dtype,
                             .given = wanted.given,
                             .most_elements = is_tall ? tall_elements : usual_elements,
                             .most_flops = is_tall ? tall_flops : usual_flops};
  if (choose.once_in(12)) options.more_axes = 1 + choose.below(4);
  const auto op = draw_attributes(schema, choose);
  options.seed = choose.random()();
  if (!op) return std::nullopt;
  try {
    auto in = draw_types(*op, options, extents);
    if (!in) return std::nullopt;
    ir::TensorTypes out = ir::infer(*op, *in);
    if (wanted.result && out.front() != *wanted.result) return std::nullopt;
    return DrawnOp{*op, std::move(*in), std::move(out)};
  } catch (const ir::Error&) {  // attributes that the sketch of its shapes cannot be made of
    return std::nullopt;
  }
}

}  // namespace

std::optional<DrawnOp> draw_op(const ir::OpSchema& schema, const Wanted& wanted, Chooser& choose) {
  const Extents extents = draw_extents(wanted.is_small, choose);
  for (unsigned k = 0; k < wanted.tries; ++k) {
    // Where the op refuses extents of a kind, such as empty ones, small ones may do.
    const bool is_first_half = 2 * k <= wanted.tries;
    if (auto drawn = draw_once(schema, wanted, is_first_half ? extents : Extents::small, choose)) return drawn;
  }
  return std::nullopt;
}

bool takes_any(const DrawnOp& drawn, std::size_t operand) {
  const ir::Role role = ir::loops_of(drawn.op, drawn.in, drawn.out).operand(operand).role;
  if (role == ir::Role::index || role == ir::Role::variance) return false;
  check::Random random(1);  // names and fills do not depend on it
  const check::Sketch sketch = check::sketch_of(drawn.op, random);
  return operand < sketch.operands.size() && !sketch.fills.contains(sketch.operands[operand].name);
}

}  // namespace plumb::parity::studies::fuzz
