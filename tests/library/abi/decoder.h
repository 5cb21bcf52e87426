/* The decoder's step of decoder.json, opened and compiled with params that its executor holds, and the inputs of one
 * step. */
#ifndef DECODER_H
#define DECODER_H

#include "expect.h"

enum { WIDTH = 8, HEADS = 2, ROWS = 16, HEAD = 4, WORDS = 5, CACHE = HEADS * ROWS * HEAD };
static const int64_t token_shape[2] = {1, WIDTH}, cache_shape[4] = {1, HEADS, ROWS, HEAD}, index_shape[1] = {1},
                     square[2] = {WIDTH, WIDTH}, out_shape[2] = {WIDTH, WORDS}, logits_shape[2] = {1, WORDS},
                     row_shape[4] = {1, HEADS, 1, HEAD};
static float wq[WIDTH * WIDTH], wk[WIDTH * WIDTH], wo[WIDTH * WORDS];

static plumb_tensor tensor(int32_t dtype, int32_t rank, const int64_t* shape, void* data, const char* name) {
  plumb_tensor made = {sizeof made, 0, 0, 0, NULL, NULL, NULL, NULL};
  made.dtype = dtype;
  made.rank = rank;
  made.shape = shape;
  made.data = data;
  made.name = name;
  return made;
}

static plumb_tensor floats(int32_t rank, const int64_t* shape, float* data, const char* name) {
  return tensor(PLUMB_F32, rank, shape, data, name);
}

static void fill(float* data, size_t count, unsigned seed) {
  for (size_t k = 0; k < count; ++k) {
    seed = seed * 1103515245u + 12345u;
    data[k] = (float)(seed >> 16) / 65536 - 0.5f;
  }
}

/* The inputs of one step; the cache is the last. */
typedef struct step {
  float token[WIDTH], cache[CACHE];
  int64_t write_at, kv_lengths;
  plumb_tensor inputs[4];
} step;

static void begin(step* of, int64_t at) {
  fill(of->token, WIDTH, (unsigned)at + 1);
  of->write_at = at;
  of->kv_lengths = at + 1;
  of->inputs[0] = floats(2, token_shape, of->token, "token");
  of->inputs[1] = tensor(PLUMB_I64, 1, index_shape, &of->write_at, "write_at");
  of->inputs[2] = tensor(PLUMB_I64, 1, index_shape, &of->kv_lengths, "kv_lengths");
  of->inputs[3] = floats(4, cache_shape, of->cache, "cache");
}

typedef struct handles {
  plumb_graph* graph;
  plumb_executor* executor;
  plumb_params* params;
  plumb_executable* executable; /* with held params */
  plumb_context* context;
} handles;

static handles opened(const char* spec, const char* path) {
  plumb_tensor weights[3];
  handles made = {NULL, NULL, NULL, NULL, NULL};
  fill(wq, WIDTH * WIDTH, 1), fill(wk, WIDTH * WIDTH, 2), fill(wo, WIDTH * WORDS, 3);
  weights[0] = floats(2, square, wq, "wq");
  weights[1] = floats(2, square, wk, "wk");
  weights[2] = floats(2, out_shape, wo, "wo");
  GOOD(plumb_graph_read(path, NULL, &made.graph));
  GOOD(plumb_candidate(spec, NULL, &made.executor));
  GOOD(plumb_params_new(made.executor, weights, 3, &made.params));
  GOOD(plumb_compile_held(made.executor, made.graph, made.params, NULL, 0, NULL, 0, &made.executable));
  GOOD(plumb_context_new(made.executable, &made.context));
  return made;
}

static void end(handles* of) {
  plumb_context_free(of->context);
  plumb_executable_free(of->executable);
  plumb_params_free(of->params);
  plumb_executor_free(of->executor);
  plumb_graph_free(of->graph);
}

#endif
