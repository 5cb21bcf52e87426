// Tiles of rows that have one expert, as grouped_rows.comp lists them.
#ifndef PLUMB_EXPERT_TILES_GLSL
#define PLUMB_EXPERT_TILES_GLSL

// Rows from `first` on among the sorted ones; none behind the last tile.
struct ExpertTile {
  uint expert, first, height;
};

const uint NO_EXPERT = 0xFFFFFFFFu;  // such rows are 0

#endif
