// Chooses nodes by regular expressions over labels, and by globs over the names of ops.
#include "parity/cases/node_filter.hpp"

namespace plumb::parity::cases {

NodeFilter::NodeFilter(std::string_view labels) : labels_(labels, "--filter"), takes_all_(labels.empty()) {}

void NodeFilter::skip(std::string_view labels) {
  skipped_.emplace(labels, "--skip");
  takes_all_ = false;
}

void NodeFilter::take_ops(std::span<const std::string> globs) {
  ops_ = expression_of(globs);
  takes_all_ = false;
}

bool NodeFilter::takes(const ir::Node& node) const {
  return labels_.is_in(node.label) && !(skipped_ && skipped_->is_in(node.label)) &&
         (!ops_ || ops_->is_in(node.op.name()));
}

core::RegularExpression expression_of(std::span<const std::string> globs) {
  std::string text;
  for (const std::string& glob : globs) {
    text += text.empty() ? "^(" : "|";
    for (const char c : glob) {
      if (c == '*')
        text += ".*";
      else if (c == '?')
        text += '.';
      else
        text += std::string("\\Q") + c + "\\E";
    }
  }
  return {text + ")$", "--op"};
}

}  // namespace plumb::parity::cases
