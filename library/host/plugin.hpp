// Plugins by the interface of library/plumbline_candidate.h, driven as plumb.exec/1 asks.
#pragma once

#include <string>

namespace plumb::library::host {

class Request;

/// Loads a plugin, does what is asked and answers. `spec` is LIB or LIB:ARGS; LIB has no colon. Throws Error where it
/// cannot be loaded, made or asked what it is.
void host_plugin(const Request& request, const std::string& spec);

}  // namespace plumb::library::host
