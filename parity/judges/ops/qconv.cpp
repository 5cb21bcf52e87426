// Codes are choices: each has to be one that some real decides within 4u of the exact sum times its factor.
#include "ir/ops/qconv.hpp"

#include "ir/ops/conv_integer.hpp"
#include "parity/judges/requantized.hpp"

namespace plumb::parity::judges {

std::optional<Judge> judge_of(const ir::ops::Qconv& op) {
  return Judge([op](const Question& question) -> Judgement {
    const std::vector<ir::Tensor>& in = question.in;
    const ir::ops::ConvInteger sums{.strides = op.strides,
                                    .dilations = op.dilations,
                                    .pads = op.pads,
                                    .group = op.group,
                                    .has_x_zero = true,
                                    .has_w_zero = true};
    Requantized of;
    of.sums = ir::run_op(question.reference, sums, {in[0], in[3], in[2], in[5]}).at(0);
    const auto over_filters = [&](const ir::Tensor& x) {  // [M] or one, as it broadcasts to [N, M, O..]
      ir::Shape shape(of.sums.shape().size() - 1, 1);
      shape[0] = x.elements();
      return shape;
    };
    if (op.has_bias) of.sums = with_bias(std::move(of.sums), in[8], over_filters(in[8]));
    of.left_scale = in[1];
    of.right_scale = read_as(in[4], over_filters(in[4]));
    of.y_scale = in[6].as<double>()[0];
    of.y_zero = ir::convert(in[7], ir::DType::f64).as<double>()[0];
    of.scales = question.in_type(1).dtype;
    return {{judge_requantized(question, of)}};
  });
}

}  // namespace plumb::parity::judges
