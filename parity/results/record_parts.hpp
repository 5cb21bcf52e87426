#pragma once

#include <string>

#include "ir/hdf5/store.hpp"
#include "parity/cases/case.hpp"
#include "parity/profile/device.hpp"
#include "parity/results/results_rows.hpp"

/// What runs of a results file share. Each of these writes it where it is not there yet, and says what it is called.
namespace plumb::parity::results {

/// A name as one component of an HDF5 path.
std::string component(const std::string& name);

/// FOLDER/<sha12>/NAME, with the attribute sha256: the sha12 of the text.
std::string add_text(ir::hdf5::Store& store, const std::string& folder, const char* name, const std::string& text);

/// GROUP/NAME, likewise: what belongs to the text that the group is called by.
void add_text_beside(ir::hdf5::Store& store, const std::string& group, const char* name, const std::string& text);

/// /graph/<sha12>: text, nodes, edges, and a list for sums.
std::string add_graph(ir::hdf5::Store& store, const cases::Case& subject, const NameId& name_id);

/// /device/<uuid>; "" where there was none.
std::string add_device(ir::hdf5::Store& store, const profile::Device& device);

/// /env/<id>: this build and this host.
std::string add_environment(ir::hdf5::Store& store, const profile::Environment& environment);

/// /inputs/<run>: where each input and param came from, what makes it again, or the numbers themselves.
void add_sources(ir::hdf5::Store& store, const cases::Case& subject, std::uint32_t run);

}  // namespace plumb::parity::results
