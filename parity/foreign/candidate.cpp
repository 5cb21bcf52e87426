// The text by which reports call a candidate.
#include "parity/foreign/candidate.hpp"

namespace plumb::parity::foreign {

std::string to_text(const Description& description) {
  std::string text = description.name;
  if (!description.version.empty()) text += (text.empty() ? "" : " ") + description.version;
  if (!description.device.empty()) text += (text.empty() ? "" : ", ") + description.device;
  for (const std::string& variable : description.environment) text += (text.empty() ? "" : "; ") + variable;
  return text;
}

}  // namespace plumb::parity::foreign
