// Codes are choices: each has to be one that some real decides within 4u of the exact sum times its factor.
#include "ir/ops/qmatmul.hpp"

#include "ir/ops/matmul_integer.hpp"
#include "parity/judges/requantized.hpp"

namespace plumb::parity::judges {
namespace {

ir::Tensor over_lines(const ir::Tensor& scale, const ir::Tensor& matrices, ir::kernels::MatrixLines lines) {
  return read_as(scale, ir::kernels::shape_over_lines(scale.shape(), matrices.shape(), lines).value());
}

}  // namespace

std::optional<Judge> judge_of(const ir::ops::Qmatmul& op) {
  return Judge([op](const Question& question) -> Judgement {
    const std::vector<ir::Tensor>& in = question.in;
    Requantized of;
    of.sums = ir::run_op(question.reference, ir::ops::MatmulInteger{.has_a_zero = true, .has_b_zero = true},
                         {in[0], in[3], in[2], in[5]})
                  .at(0);
    if (op.has_bias) of.sums = with_bias(std::move(of.sums), in[8], in[8].shape());
    of.left_scale = over_lines(in[1], in[0], ir::kernels::MatrixLines::rows);
    of.right_scale = over_lines(in[4], in[3], ir::kernels::MatrixLines::columns);
    of.y_scale = in[6].as<double>()[0];
    of.y_zero = ir::convert(in[7], ir::DType::f64).as<double>()[0];
    of.scales = question.in_type(1).dtype;
    return {{judge_requantized(question, of)}};
  });
}

}  // namespace plumb::parity::judges
