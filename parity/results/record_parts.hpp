#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ir/hdf5/store.hpp"
#include "parity/cases/case.hpp"
#include "parity/profile/device.hpp"
#include "parity/results/results_rows.hpp"

/// Parts that runs of a results file share. Each function writes its part where it is not there yet, and names it.
namespace plumb::parity::results {

/// An argument of a command line as it is recorded: who recorded where is nobody's business, so that of absolute paths
/// the last name stays.
std::string without_folders(const std::string& argument);

/// The major version of the results file that a new one takes the place of; 0 where there is none, or an empty file.
/// Throws Error, naming it, where another file has the name.
int version_replaced(const std::filesystem::path& path);

/// Makes the layout of a new file, which says which program made it, when, and by which command line.
void make_file(ir::hdf5::Store& store, const std::vector<std::string>& argv);

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

/// Whether a case still has what it was fed, and all of it is to be kept.
enum class Fed { gone, kept };

/// Where the inputs and params of runs come from, what makes them again, or the numbers themselves: inputs in
/// /inputs/<run>, params in /params/<sha12>, once for all runs that have the same. Numbers of params are left to the
/// graph's file where that is named with its hash; equal numbers are in the file once.
class Sources {
 public:
  /// Without `keeps_inputs` no numbers of inputs are kept, whatever is asked for.
  explicit Sources(bool keeps_inputs) : keeps_inputs_(keeps_inputs) {}

  /// Those of a run, unless they have been added; runs come in their order.
  void add(ir::hdf5::Store& store, const cases::Case& subject, std::uint32_t run, Fed fed);

 private:
  struct Source;

  Source source_of(const cases::Case& subject, ir::Value v, Fed fed) const;
  void write(ir::hdf5::Store& store, const std::string& path, const Source& source);
  const std::string& hash_of_file(const cases::Case& subject);
  std::string add_params(ir::hdf5::Store& store, const cases::Case& subject, Fed fed);

  const bool keeps_inputs_;
  std::uint32_t next_ = 0;                          ///< the first run that is not there yet
  std::map<std::string, std::string> file_hashes_;  ///< by path
  std::map<std::string, std::string> kept_;         ///< where numbers are, by their type, hash and origin
};

}  // namespace plumb::parity::results
