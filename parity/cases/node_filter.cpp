// Chooses nodes by regular expressions over labels, and by globs over the names of ops.
#include "parity/cases/node_filter.hpp"

#include <algorithm>

#include "ir/raw/glob.hpp"

namespace plumb::parity::cases {

NodeFilter::NodeFilter(std::string_view labels) : labels_(labels, "--filter"), takes_all_(labels.empty()) {}

void NodeFilter::skip(std::string_view labels) {
  skipped_.emplace(labels, "--skip");
  takes_all_ = false;
}

void NodeFilter::take_ops(std::span<const std::string> globs) {
  ops_.emplace(globs.begin(), globs.end());
  takes_all_ = false;
}

bool NodeFilter::takes(const ir::Node& node) const {
  const auto names_op = [&](const std::string& glob) { return ir::raw::glob_matches(glob, node.op.name()); };
  return labels_.is_in(node.label) && !(skipped_ && skipped_->is_in(node.label)) &&
         (!ops_ || std::ranges::any_of(*ops_, names_op));
}

}  // namespace plumb::parity::cases
