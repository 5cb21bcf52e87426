// Moves the points of a grid by what their source positions may be off.
#include "parity/settle/ranges/nearby_grids.hpp"

namespace plumb::parity::settle {

void for_each_nearby_grid(const ir::Tensor& grid, std::size_t axes,
                          const std::function<double(std::size_t coordinate)>& step,
                          const std::function<void(const ir::Tensor& moved)>& visit) {
  std::size_t combinations = 1;
  for (std::size_t a = 0; a < axes; ++a) combinations *= 3;
  for (std::size_t one = 0; one < combinations; ++one) {
    ir::Tensor moved = grid;
    for (std::size_t p = 0; p < moved.as<double>().size(); ++p) {
      std::size_t digit = one;
      for (std::size_t a = 0; a < p % axes; ++a) digit /= 3;
      const double to = digit % 3 == 0 ? 0 : digit % 3 == 1 ? 1 : -1;
      moved.as<double>()[p] += to * step(p);
    }
    visit(moved);
  }
}

}  // namespace plumb::parity::settle
