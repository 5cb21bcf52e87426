// The tables of a baseline: 93 bytes for each output and seed before they are compressed.
#include "parity/studies/drift/baseline.hpp"

#include <cstddef>
#include <map>

#include "ir/hdf5/store.hpp"
#include "ir/hdf5/vet.hpp"
#include "parity/core/build_info.hpp"

namespace plumb::parity::studies::drift {
namespace {

using ir::hdf5::Kind;
using ir::hdf5::TableType;

constexpr auto names_path = "/names", runs_path = "/runs", outputs_path = "/outputs", reasons_path = "/reasons";
constexpr std::string_view version = "1.0.0";

/// /runs; *_id is a place in /names.
struct RunRow {
  std::uint64_t seed = 0, param_seed = Record::unknown_seed;
  double utc = Output::unknown;
  std::uint32_t case_id = 0, file_id = 0, subject_id = 0, graph_id = 0, options_id = 0, device_id = 0, driver_id = 0,
                tool_id = 0;
  std::uint8_t verdict = 0, is_software = 0;
};

/// /outputs, run by run. What is tested is kept to the last bit, so that a baseline says what its file says.
struct OutputRow {
  std::uint64_t out_hash = 0, operands_hash = 0;
  std::uint32_t run = 0, node_id = 0, kernel_id = 0, tile_id = 0, sums_id = 0, op_id = 0, dtype_id = 0;
  double rms = 0, max_abs = 0, scale = 0, rel_l2 = 0;
  float ratio = 0, bias = 0, rho = 0, misrounded = 0;
  std::uint8_t verdict = 0;
};

const TableType& run_row_type() {
  static const TableType type{{{"seed", Kind::u8, offsetof(RunRow, seed), 1, {}, "1"},
                               {"param_seed", Kind::u8, offsetof(RunRow, param_seed), 1, {}, "1"},
                               {"utc", Kind::f8, offsetof(RunRow, utc), 1, {}, "s"},
                               {"case_id", Kind::u4, offsetof(RunRow, case_id), 1, {}, "1"},
                               {"file_id", Kind::u4, offsetof(RunRow, file_id), 1, {}, "1"},
                               {"subject_id", Kind::u4, offsetof(RunRow, subject_id), 1, {}, "1"},
                               {"graph_id", Kind::u4, offsetof(RunRow, graph_id), 1, {}, "1"},
                               {"options_id", Kind::u4, offsetof(RunRow, options_id), 1, {}, "1"},
                               {"device_id", Kind::u4, offsetof(RunRow, device_id), 1, {}, "1"},
                               {"driver_id", Kind::u4, offsetof(RunRow, driver_id), 1, {}, "1"},
                               {"tool_id", Kind::u4, offsetof(RunRow, tool_id), 1, {}, "1"},
                               {"verdict", Kind::u1, offsetof(RunRow, verdict), 1, {}, "1"},
                               {"is_software", Kind::u1, offsetof(RunRow, is_software), 1, {}, "1"}},
                              sizeof(RunRow)};
  return type;
}

const TableType& output_row_type() {
  static const TableType type{{{"out_hash", Kind::u8, offsetof(OutputRow, out_hash), 1, {}, "1"},
                               {"operands_hash", Kind::u8, offsetof(OutputRow, operands_hash), 1, {}, "1"},
                               {"run", Kind::u4, offsetof(OutputRow, run), 1, {}, "1"},
                               {"node_id", Kind::u4, offsetof(OutputRow, node_id), 1, {}, "1"},
                               {"kernel_id", Kind::u4, offsetof(OutputRow, kernel_id), 1, {}, "1"},
                               {"tile_id", Kind::u4, offsetof(OutputRow, tile_id), 1, {}, "1"},
                               {"sums_id", Kind::u4, offsetof(OutputRow, sums_id), 1, {}, "1"},
                               {"op_id", Kind::u4, offsetof(OutputRow, op_id), 1, {}, "1"},
                               {"dtype_id", Kind::u4, offsetof(OutputRow, dtype_id), 1, {}, "1"},
                               {"rms", Kind::f8, offsetof(OutputRow, rms), 1, {}, "1"},
                               {"max_abs", Kind::f8, offsetof(OutputRow, max_abs), 1, {}, "1"},
                               {"scale", Kind::f8, offsetof(OutputRow, scale), 1, {}, "1"},
                               {"ratio", Kind::f4, offsetof(OutputRow, ratio), 1, {}, "1"},
                               {"rel_l2", Kind::f8, offsetof(OutputRow, rel_l2), 1, {}, "1"},
                               {"bias", Kind::f4, offsetof(OutputRow, bias), 1, {}, "1"},
                               {"rho", Kind::f4, offsetof(OutputRow, rho), 1, {}, "1"},
                               {"misrounded", Kind::f4, offsetof(OutputRow, misrounded), 1, {}, "1"},
                               {"verdict", Kind::u1, offsetof(OutputRow, verdict), 1, {}, "1"}},
                              sizeof(OutputRow)};
  return type;
}

/// Texts by their place in /names; "" is the first.
class Names {
 public:
  Names() { id(""); }
  std::uint32_t id(const std::string& text) {
    const auto [found, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
};

OutputRow row_of(const Output& one, std::uint32_t run, Names& names) {
  return {.out_hash = one.out_hash,
          .operands_hash = one.operands_hash,
          .run = run,
          .node_id = names.id(one.node),
          .kernel_id = names.id(one.kernel),
          .tile_id = names.id(one.tile),
          .sums_id = names.id(one.sums),
          .op_id = names.id(one.op),
          .dtype_id = names.id(one.dtype),
          .rms = one.rms,
          .max_abs = one.max_abs,
          .scale = one.scale,
          .rel_l2 = one.rel_l2,
          .ratio = static_cast<float>(one.ratio),
          .bias = one.bias,
          .rho = one.rho,
          .misrounded = one.misrounded,
          .verdict = static_cast<std::uint8_t>(one.verdict)};
}

core::Verdict verdict_of(std::uint8_t code) {
  ir::require(code < enum_names(core::Verdict{}).size(), "there is no verdict ", int{code});
  return static_cast<core::Verdict>(code);
}

ir::hdf5::Store open(const std::filesystem::path& path) {
  ir::hdf5::vet(path);
  ir::hdf5::Store store = ir::hdf5::Store::open(path);
  const auto values = store.attributes("/");
  const auto found = values.find("schema_version");
  const auto* const text = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  ir::require(text != nullptr && text->starts_with("1."), path.string(), ": is a baseline of version '",
              text == nullptr ? "" : *text, "', and only 1.* is known: it was written by a newer plumb");
  return store;
}

}  // namespace

void write_baseline(const std::filesystem::path& path, std::span<const Record> records,
                    std::span<const std::string> reasons) {
  Names names;
  std::vector<RunRow> runs;
  std::vector<OutputRow> outputs;
  for (const Record& one : records) {
    for (const Output& output : one.outputs)
      outputs.push_back(row_of(output, static_cast<std::uint32_t>(runs.size()), names));
    runs.push_back({.seed = one.seed,
                    .param_seed = one.param_seed,
                    .utc = one.utc,
                    .case_id = names.id(one.id),
                    .file_id = names.id(one.file),
                    .subject_id = names.id(one.subject),
                    .graph_id = names.id(one.graph),
                    .options_id = names.id(one.options),
                    .device_id = names.id(one.device),
                    .driver_id = names.id(one.driver),
                    .tool_id = names.id(one.tool),
                    .verdict = static_cast<std::uint8_t>(one.verdict),
                    .is_software = one.is_software});
  }
  ir::hdf5::Store store = ir::hdf5::Store::create(path);
  store.set("/", "schema", std::string(baseline_schema));
  store.set("/", "schema_version", std::string(version));
  store.set("/", "tool_version", std::string(core::build_info().version));
  for (const char* const list : {names_path, reasons_path}) store.make_texts(list);
  store.append_texts(names_path, names.texts());
  store.append_texts(reasons_path, {reasons.begin(), reasons.end()});
  store.make_table(runs_path, run_row_type());
  store.append(runs_path, run_row_type(), runs);
  store.make_table(outputs_path, output_row_type());
  store.append(outputs_path, output_row_type(), outputs);
  store.close();
}

std::vector<Record> read_baseline(const std::filesystem::path& path) {
  const ir::hdf5::Store store = open(path);
  const std::vector<std::string> names = store.read_texts(names_path);
  const auto name = [&](std::uint32_t id) -> const std::string& {
    ir::require(id < names.size(), path.string(), ": there is no name ", id);
    return names[id];
  };
  std::vector<Record> records;
  for (const RunRow& row : store.read<RunRow>(runs_path, run_row_type()).rows)
    records.push_back({.id = name(row.case_id),
                       .file = name(row.file_id),
                       .subject = name(row.subject_id),
                       .graph = name(row.graph_id),
                       .options = name(row.options_id),
                       .device = name(row.device_id),
                       .driver = name(row.driver_id),
                       .tool = name(row.tool_id),
                       .seed = row.seed,
                       .param_seed = row.param_seed,
                       .utc = row.utc,
                       .verdict = verdict_of(row.verdict),
                       .is_software = row.is_software != 0});
  for (const OutputRow& row : store.read<OutputRow>(outputs_path, output_row_type()).rows) {
    ir::require(row.run < records.size(), path.string(), ": there is no run ", row.run);
    records[row.run].outputs.push_back({.node = name(row.node_id),
                                        .op = name(row.op_id),
                                        .dtype = name(row.dtype_id),
                                        .kernel = name(row.kernel_id),
                                        .tile = name(row.tile_id),
                                        .sums = name(row.sums_id),
                                        .verdict = verdict_of(row.verdict),
                                        .out_hash = row.out_hash,
                                        .operands_hash = row.operands_hash,
                                        .rms = row.rms,
                                        .max_abs = row.max_abs,
                                        .scale = row.scale,
                                        .ratio = row.ratio,
                                        .rel_l2 = row.rel_l2,
                                        .bias = row.bias,
                                        .rho = row.rho,
                                        .misrounded = row.misrounded});
  }
  return records;
}

std::vector<std::string> reasons_of(const std::filesystem::path& path) { return open(path).read_texts(reasons_path); }

}  // namespace plumb::parity::studies::drift
