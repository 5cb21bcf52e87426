// The report on planted faults as JSON (plumb.power/1).
#include "parity/core/build_info.hpp"
#include "parity/core/json_number.hpp"
#include "parity/power/power.hpp"

namespace plumb::parity::power {
namespace {

using Json = nlohmann::ordered_json;

Json size_json(const Size& size) {
  return {{"share", core::json_number(size.share)},
          {"ulp", core::json_number(size.ulp)},
          {"ratio", core::json_number(size.ratio)}};
}

Json trial_json(const Trial& trial) {
  return {{"fault", trial.fault->name},
          {"place", ir::enum_name(trial.place)},
          {"inside", trial.inside},
          {"d", core::json_number(trial.effect)},
          {"required", trial.is_required()},
          {"outcome", ir::enum_name(trial.outcome)},
          {"caught_by", ir::enum_name(trial.caught_by)},
          {"reason", ir::enum_name(trial.reason)},
          {"size", size_json(trial.size)},
          {"smallest_caught", trial.smallest ? size_json(*trial.smallest) : Json(nullptr)}};
}

Json node_json(const NodePower& node) {
  Json trials = Json::array();
  for (const Trial& trial : node.trials) trials.push_back(trial_json(trial));
  const compare::Vacuity& v = node.vacuity;
  return {{"node", node.name},
          {"op", node.op},
          {"dtype", ir::info(node.type.dtype).name},
          {"shape", std::vector<std::int64_t>(node.type.shape)},
          {"verdict", ir::enum_name(node.verdict)},
          {"why", node.why},
          {"has_verdict", node.has_verdict},
          {"resolution", node.resolution() ? Json(*node.resolution()) : Json(nullptr)},
          {"vacuity",
           {{"score", v.score()},
            {"zeros", v.zeros},
            {"saturated", v.saturated},
            {"not_finite", v.not_finite},
            {"constant_rows", v.constant},
            {"exact_sums", v.exact}}},
          {"faults", std::move(trials)}};
}

Json result_json(const Result& result) {
  Json nodes = Json::array();
  for (const NodePower& node : result.nodes) nodes.push_back(node_json(node));
  return {{"graph", result.subject.name},
          {"candidate", result.candidate},
          {"seed", result.subject.seed},
          {"power", core::json_number(result.score())},
          {"caught", result.count(Outcome::caught)},
          {"missed", result.count(Outcome::missed)},
          {"caught_below", result.count_below(Outcome::caught)},
          {"missed_below", result.count_below(Outcome::missed)},
          {"no_effect", result.count(Outcome::no_effect)},
          {"nodes_without_verdict", result.without_verdict()},
          {"seconds", result.seconds},
          {"nodes", std::move(nodes)}};
}

}  // namespace

std::string to_json(std::span<const Result> results, double min_power) {
  Json list = Json::array();
  for (const Result& result : results) list.push_back(result_json(result));
  const Json document = {{"format", "plumb.power/1"},
                         {"tool_version", core::build_info().version},
                         {"min_power", min_power},
                         {"cases", std::move(list)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace plumb::parity::power
