/* A softmax of one's own, judged from C: one call on given results, then a graph of which it computes one node. */
#include <math.h>
#include <plumbline.h>
#include <stdio.h>
#include <stdlib.h>

static void softmax(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row, x += n, y += n) {
    float top = x[0], sum = 0;
    for (int64_t i = 1; i < n; ++i) top = fmaxf(top, x[i]);
    for (int64_t i = 0; i < n; ++i) sum += y[i] = expf(x[i] - top);
    for (int64_t i = 0; i < n; ++i) y[i] /= sum;
  }
}

/* Computes the graph: its input is x, its result y. */
static int run(void* user, const plumb_call* call) {
  const plumb_tensor* x = &call->inputs[0];
  float y[6];
  plumb_tensor made = {sizeof made, PLUMB_F32, 2, 0, x->shape, NULL, y, "y"};
  softmax(x->data, y, x->shape[0], x->shape[1]);
  y[4] += *(float*)user;
  return call->give(call->context, &made);
}

static void require(plumb_error* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", plumb_error_message(error));
  exit(2);
}

int main(void) {
  const int64_t shape[2] = {2, 3};
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6], off = 1e-3f;
  plumb_tensor in = {sizeof in, PLUMB_F32, 2, 0, shape, NULL, x, "x0"};
  plumb_tensor got = {sizeof got, PLUMB_F32, 2, 0, shape, NULL, y, NULL};
  plumb_result* result = NULL;
  softmax(x, y, 2, 3);
  require(plumb_check("softmax", "{\"axis\": -1}", &in, 1, &got, 1, NULL, &result));
  printf("check: %s\n", plumb_result_verdict(result));
  plumb_result_free(result);

  plumb_graph* graph = NULL;
  plumb_executor* mine = NULL;
  plumb_callback callback = {sizeof callback, 0, "mine", NULL, &off, run, NULL};
  require(plumb_graph_of_op("softmax", "{\"axis\": -1}", &in, 1, &graph));
  require(plumb_callbacks(&callback, &mine));
  require(plumb_verify(graph, &in, 1, mine, NULL, &result));
  printf("verify: %s\n%s", plumb_result_verdict(result), plumb_result_text(result));
  plumb_result_free(result);
  plumb_executor_free(mine);
  plumb_graph_free(graph);
  return 0;
}
