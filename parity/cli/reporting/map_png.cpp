// Pictures of maps, which libpng writes.
#include "parity/cli/reporting/map_png.hpp"

#include <png.h>

#include <array>

#include "ir/error.hpp"
#include "parity/report/map_text.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::size_t pixels_a_cell = 8;

/// By level, as page.css has them by day.
constexpr std::array<std::array<png_byte, 3>, report::map_signs.size()> colours = {{{0xee, 0xf1, 0xf4},
                                                                                    {0xdb, 0xe8, 0xf5},
                                                                                    {0xc0, 0xd8, 0xf0},
                                                                                    {0x9c, 0xc3, 0xe8},
                                                                                    {0x75, 0xab, 0xde},
                                                                                    {0xf9, 0xd9, 0xa8},
                                                                                    {0xf2, 0xb3, 0x5f},
                                                                                    {0xdd, 0x7f, 0x1f},
                                                                                    {0xa3, 0x4a, 0x00},
                                                                                    {0x1b, 0x1f, 0x24}}};

}  // namespace

std::vector<std::byte> png_of(const compare::RatioMap& map) {
  const std::size_t rows = map.used_rows() * pixels_a_cell, columns = map.used_columns() * pixels_a_cell;
  ir::require(rows * columns > 0, "a map without cells makes no picture");
  std::vector<png_byte> levels;
  levels.reserve(rows * columns);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      levels.push_back(static_cast<png_byte>(report::map_level(map.at(row / pixels_a_cell, column / pixels_a_cell))));
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(colours.size());
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> png(bytes);
  const bool is_written =
      png_image_write_to_memory(&image, png.data(), &bytes, 0, levels.data(), 0, colours.data()) != 0;
  const std::string problem = image.message;
  png_image_free(&image);
  ir::require(is_written, "libpng: ", problem);
  png.resize(bytes);
  return png;
}

}  // namespace plumb::parity::cli
