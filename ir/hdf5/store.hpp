#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "ir/hdf5/table_type.hpp"
#include "ir/tensor.hpp"

namespace plumb::ir::hdf5 {

/// The value of an HDF5 attribute.
using StoredValue = std::variant<std::string, std::int64_t, std::uint64_t, double, std::vector<std::string>>;
using StoredValues = std::map<std::string, StoredValue>;

/// A table as an HDF5 file holds it: its columns' names, and the rows. A column that
/// the file does not have keeps the row type's default.
template <class Row>
struct StoredTable {
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// How a dataset was made, for checks.
struct StoredForm {
  std::string kind;                            ///< "compound", "u4", "text", ...
  std::vector<Column> columns;                 ///< a compound's columns; offsets are the file's
  std::vector<std::uint64_t> extents, chunks;  ///< no chunks: contiguous
  bool appendable = false, shuffle = false, gzip = false, fletcher32 = false;
};

struct OpenFile;

/// One HDF5 file, in terms of tables, tensors and texts: all that the results file
/// is made of. Paths are absolute, and groups are made as needed. Throws Error with HDF5's own
/// reason. HDF5 is used from one thread at a time.
class Store {
 public:
  /// HDF5 does nothing when the process ends; to be called before anything uses it.
  static void leave_process_alone();

  static Store create(const std::filesystem::path& path);
  static Store open(const std::filesystem::path& path);
  static Store open_to_append(const std::filesystem::path& path);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  bool contains(const std::string& path) const;
  void make_group(const std::string& path);
  void set(const std::string& path, const std::string& attribute, const StoredValue& value);

  /// A scalar text, UTF-8.
  void write_text(const std::string& path, const std::string& text);
  /// A contiguous or, from 64 KiB on, compressed dataset; bf16 is marked as such.
  void write_tensor(const std::string& path, const TensorView& tensor);
  /// Another name for what is at `other`, with its attributes.
  void link(const std::string& path, const std::string& other);
  /// Takes over an object of another file, with all that is below it, and the attributes that are StoredValues.
  void copy(const std::string& to, const Store& from, const std::string& path);

  /// Rows to append to: one row type, `width` of them to a row where that is not 1.
  void make_table(const std::string& path, const TableType& type, std::size_t width = 1);
  void append(const std::string& path, const TableType& type, std::span<const std::byte> rows);
  /// Puts one row, of which there is one already, in its place.
  void replace_bytes(const std::string& path, const TableType& type, std::uint64_t row,
                     std::span<const std::byte> bytes);
  /// Rows of `width` u4.
  void make_grid(const std::string& path, std::size_t width);
  void append_grid(const std::string& path, std::span<const std::uint32_t> cells);
  /// A list of texts.
  void make_texts(const std::string& path);
  void append_texts(const std::string& path, const std::vector<std::string>& texts);

  /// Makes `scale`, a line of f8, the dimension scale of axis 1 of the grid.
  void attach_scale(const std::string& grid, const std::string& scale);

  template <class Row>
  void append(const std::string& path, const TableType& type, const std::vector<Row>& rows) {
    append(path, type, std::as_bytes(std::span<const Row>(rows)));
  }

  template <class Row>
  void replace(const std::string& path, const TableType& type, std::uint64_t row, const Row& by) {
    replace_bytes(path, type, row, std::as_bytes(std::span<const Row>(&by, 1)));
  }

  std::vector<std::string> children(const std::string& path) const;
  StoredValues attributes(const std::string& path) const;
  StoredForm form(const std::string& path) const;
  std::string read_text(const std::string& path) const;
  std::vector<std::string> read_texts(const std::string& path) const;
  std::vector<std::uint32_t> read_grid(const std::string& path) const;
  bool is_dataset(const std::string& path) const;
  /// All elements of a dataset that is no text, as the file has them.
  std::vector<std::byte> read_bytes(const std::string& path) const;
  std::uint64_t rows(const std::string& path) const;

  template <class Row>
  StoredTable<Row> read(const std::string& path, const TableType& type) const {
    StoredTable<Row> table;
    table.rows.resize(rows(path) * width(path));
    table.columns = read_rows(path, type, std::as_writable_bytes(std::span<Row>(table.rows)));
    return table;
  }

  /// Hands everything to the operating system.
  void flush();
  /// Closes the file; says whether all of it was written.
  void close();

 private:
  explicit Store(std::unique_ptr<OpenFile> file);

  std::uint64_t width(const std::string& path) const;
  std::vector<std::string> read_rows(const std::string& path, const TableType& type, std::span<std::byte> rows) const;

  std::unique_ptr<OpenFile> file_;
};

}  // namespace plumb::ir::hdf5
