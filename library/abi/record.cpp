// Results of the ABI, kept in files and explained.
#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"
#include "library/describe.hpp"
#include "parity/report/node_report.hpp"
#include "parity/results/record_hdf5.hpp"

using namespace plumb;

using library::abi::guarded;

plumb_error* plumb_result_explain(const plumb_result* result, size_t k, plumb_text** text) {
  return guarded([&] {
    library::abi::require_place(text, "text");
    const plumb_result& of = library::abi::require_handle(result, "result");
    library::abi::require_row(of, k);
    const parity::cases::NodeResult& node = of.result.nodes[k];
    *text = new plumb_text{node.explanation + parity::report::node_text(of.result, node)};
  });
}

plumb_error* plumb_result_save(const plumb_result* result, const char* path) {
  return guarded([&] {
    const plumb_result& of = library::abi::require_handle(result, "result");
    parity::results::RecordOptions options;
    options.profile_file = of.made.profile_file;
    options.planned = 1;
    options.device = of.made.device;
    options.environment = library::describe_host(of.made.threads);
    parity::results::Recorder recorder(library::abi::text_of(path, "path"), std::move(options));
    recorder.record(of.result);
    recorder.finish();
  });
}
