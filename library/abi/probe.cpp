// Profiles of whoever computes graphs, by the ABI.
#include "library/probe.hpp"

#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"
#include "parity/profile/profile_file.hpp"

using namespace plumb;

using library::abi::guarded;

plumb_error* plumb_probe(plumb_executor* executor, const plumb_graph* graph, const plumb_probe_options* options,
                         plumb_text** profile) {
  return guarded([&] {
    library::abi::require_place(profile, "profile");
    const plumb_executor& of = library::abi::require_handle(executor, "executor");
    const auto given = library::abi::read(options, "options");
    parity::profile::probe::ProbeOptions made;
    if (graph != nullptr) made.places = parity::profile::probe::products_of(graph->model.file->graph);
    made.step = [&given](std::string_view what, std::size_t done, std::size_t steps) {
      library::abi::tell_progress(given, what, done, steps);
    };
    *profile = new plumb_text{parity::profile::to_toml(library::probe(*of.opened->executor, made))};
  });
}

const char* plumb_text_get(const plumb_text* text) { return text != nullptr ? text->text.c_str() : ""; }

void plumb_text_free(plumb_text* text) { delete text; }
