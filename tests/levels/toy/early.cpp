#include <cstdlib>
#include <vector>

std::vector<int> early(static_cast<std::size_t>(std::rand()));
