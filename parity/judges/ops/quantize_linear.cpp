// Codes are choices: one is right if a real within the limit of the quotient decides for it.
#include "ir/ops/quantize_linear.hpp"

#include <cmath>

#include "parity/core/float_format.hpp"
#include "parity/judges/choices.hpp"
#include "parity/judges/float_codes.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::QuantizeLinear;

/// The quotients behind the codes, and what is known of them.
struct Quotients {
  std::vector<double> real, limit, zero;
  std::vector<bool> wild;  ///< an operand that the device may take for 0 decides: nothing is known of the code
};

ir::DType computed_in(const Question& question) {
  const bool is_f64 = question.in_type(0).dtype == ir::DType::f64 || question.in_type(1).dtype == ir::DType::f64;
  return is_f64 ? ir::DType::f64 : ir::DType::f32;
}

Quotients quotients_of(const QuantizeLinear& op, const Question& question) {
  const auto map = ir::kernels::scale_map(question.in[0].shape(), question.in[1].shape(), op.axis, op.block_size);
  const auto x = question.in[0].as<double>(), scale = question.in[1].as<double>();
  const ir::Tensor zeros =
      op.has_zero_point ? ir::convert(question.in[2], ir::DType::f64) : ir::Tensor({ir::DType::f64, {0}});
  const ir::DType computed = computed_in(question);
  const double smallest = core::float_format(computed).smallest_normal();
  const auto may_vanish = [&](double number) {
    return question.manner.flushes_subnormals && number != 0 && std::abs(number) < smallest;
  };
  Quotients found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto own = static_cast<std::size_t>(map->is_one() ? 0 : (*map)(static_cast<std::int64_t>(i)));
    const double real = x[i] / scale[own];
    double limit = std::isfinite(real) ? limit_of_quotient(x[i], scale[own], computed) : 0;
    if (std::isfinite(real) && may_vanish(x[i])) limit = std::max(limit, std::abs(real));
    found.real.push_back(real);
    found.limit.push_back(limit);
    found.zero.push_back(op.has_zero_point ? zeros.as<double>()[own] : 0);
    found.wild.push_back(may_vanish(scale[own]) || (scale[own] == 0 && may_vanish(x[i])));
  }
  return found;
}

}  // namespace

std::optional<Judge> judge_of(const QuantizeLinear& op) {
  return Judge([op](const Question& question) -> Judgement {
    const Quotients quotients = quotients_of(op, question);
    OutputJudgement judged;
    if (op.code == ir::kernels::CodeFormat::integer) {
      const auto range = ir::kernels::code_range(op.dtype, op.bits);
      judged = judge_codes(question, 0,
                           {.real = quotients.real,
                            .limit = quotients.limit,
                            .zero = quotients.zero,
                            .least = static_cast<double>(range.least),
                            .most = static_cast<double>(range.most)});
    } else {
      judged = judge_float_codes(question, 0,
                                 {.real = quotients.real,
                                  .limit = quotients.limit,
                                  .format = ir::kernels::small_float(op.code),
                                  .saturates = op.saturate});
    }
    for (std::size_t i = 0; i < quotients.wild.size(); ++i)
      if (quotients.wild[i]) judged.standing[i] = Standing::wild;
    return {{std::move(judged)}};
  });
}

}  // namespace plumb::parity::judges
