// The truth of a node of the whole graph under the decisions of a candidate (verdict.md V64).
#include "parity/judges/following.hpp"

#include <algorithm>

namespace plumb::parity::judges {

bool differ(const DecidedOutputs& decided, const core::Evaluated& truth) {
  return std::ranges::any_of(decided, [&](const auto& one) {
    return !std::ranges::equal(one.second->bytes(), truth.outputs.at(one.first).bytes());
  });
}

std::vector<OutputJudgement> outputs_under(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                                           const bounds::Manner& manner, const ExtraJudges* extra,
                                           const DecidedOutputs& decided, const core::Evaluated& truth) {
  const ir::Node& node = segment.graph.nodes().front();
  std::vector<ir::Tensor> in, got;
  for (const ir::Value v : node.inputs) in.push_back(fed.at(segment.graph.inputs()[v]));
  for (std::size_t k = 0; k < segment.outputs.size(); ++k) {
    const auto found = decided.find(k);
    const ir::Tensor& output = found == decided.end() ? truth.outputs[k] : *found->second;
    got.push_back(ir::convert(output, segment.graph.type(segment.outputs[k]).dtype));
  }
  const Question question{reference, segment, std::move(in), std::move(got), truth, {}, manner, 1};
  return (*find_judge(node.op, extra))(question).outputs;
}

void follow(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed, const bounds::Manner& manner,
            const ExtraJudges* extra, const DecidedOutputs& decided, core::Evaluated& truth) {
  if (decided.size() < truth.outputs.size()) {
    std::vector<OutputJudgement> under = outputs_under(reference, segment, fed, manner, extra, decided, truth);
    for (std::size_t k = 0; k < under.size(); ++k)
      if (!decided.contains(k)) truth.outputs[k] = std::move(under[k].truth);
  }
  for (const auto& [k, output] : decided) truth.outputs[k] = *output;
}

}  // namespace plumb::parity::judges
