/* A stage as a user brings it: in C, from a shared library. y = x + parameter, loss = mean y. */
#include "runtime/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct my_stage {
  int stage, stages;
  int failing; /* microbatch at which forward fails on the last stage; -1: none */
};

static int create(const struct plumbline_stage_request *request, void **stage, struct plumbline_stage_sizes *sizes,
                  char *message, size_t message_size) {
  struct my_stage *made;
  if (request->device >= 0) {
    snprintf(message, message_size, "this stage computes on the host");
    return 1;
  }
  made = malloc(sizeof *made);
  made->stage = request->stage;
  made->stages = request->stages;
  made->failing = -1;
  if (strncmp(request->options, "fail=", 5) == 0)
    made->failing = atoi(request->options + 5);
  else if (request->options[0] != 0) {
    if (strcmp(request->options, "silent") != 0)
      snprintf(message, message_size, "the option '%s' is not known; there is fail=MICROBATCH", request->options);
    free(made);
    return 1;
  }
  const struct plumbline_extent values = {16, PLUMBLINE_F32}, one = {1, PLUMBLINE_F32}, none = {0, PLUMBLINE_F32};
  const int last = made->stage + 1 == made->stages;
  memset(sizes, 0, sizeof *sizes);
  sizes->input = values;
  sizes->output = last ? one : values;
  sizes->labels = none;
  sizes->stash = none;
  sizes->parameters = one;
  sizes->gradients = one;
  sizes->optimizer = none;
  *stage = made;
  return 0;
}

static void destroy(void *stage) { free(stage); }

static int initialize(void *stage, const struct plumbline_update *update) {
  (void)stage;
  *(float *)update->parameters.data = 1;
  return 0;
}

static int forward(void *stage, const struct plumbline_pass *pass) {
  const struct my_stage *mine = stage;
  const float *x = pass->input.data, parameter = *(const float *)pass->parameters.data;
  float *y = pass->output.data, sum = 0;
  if (pass->microbatch == mine->failing && mine->stage + 1 == mine->stages) {
    snprintf(pass->message, pass->message_size, "this stage does not like microbatch %d", pass->microbatch);
    return 1;
  }
  for (uint64_t k = 0; k < pass->input.count; ++k) {
    const float value = (mine->stage == 0 ? 0 : x[k]) + parameter;
    sum += value / 16;
    if (mine->stage + 1 < mine->stages)
      y[k] = value;
  }
  if (mine->stage + 1 == mine->stages)
    *y = sum;
  return 0;
}

static int backward(void *stage, const struct plumbline_pass *pass) {
  const struct my_stage *mine = stage;
  const float *dy = pass->output_gradient.data;
  float *dx = pass->input_gradient.data, *gradient = pass->gradients.data;
  for (uint64_t k = 0; k < pass->input.count; ++k) {
    const float d = mine->stage + 1 == mine->stages ? pass->scale / 16 : dy[k];
    *gradient += d;
    if (dx)
      dx[k] = d;
  }
  return 0;
}

static int optimizer_step(void *stage, const struct plumbline_update *update) {
  (void)stage;
  *(float *)update->parameters.data =
      *(const float *)update->from.data - update->learning_rate * *(const float *)update->gradients.data;
  return 0;
}

static const struct plumbline_stage_functions functions = {
    PLUMBLINE_STAGE_INTERFACE, "my_stage", create, destroy, initialize, forward, backward, NULL, NULL, optimizer_step};

const struct plumbline_stage_functions *my_stage(void);
const struct plumbline_stage_functions *my_stage(void) { return &functions; }
