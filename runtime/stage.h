/* A stage: what a user brings to a pipeline. Plumbline decides when a stage works and where its tensors lie; the stage
 * does the arithmetic. This header is C, so that a stage may come from any language and from a shared library:
 *
 *     const struct plumbline_stage_functions *my_stage(void);
 *
 *     plumbline run schedule.pir --stage libmine.so:my_stage
 *
 * One stage object stands for one stage of the pipeline on one rank. Calls on one object never overlap. Calls on
 * different objects may, from different threads. Between create and destroy a stage allocates nothing: every buffer
 * is handed to it, with its size in elements, as asked for by `sizes`. All buffers are aligned to 256 bytes and, but
 * for gradients and what the same call names twice, never overlap. On a CUDA device they are device memory, and a
 * stage enqueues its work on the stream of the call and does not wait for it. Before the first step a device may get
 * each kind of pass once with zeros for a trial, whose results are dropped.
 *
 * Every function that can fail returns 0, or another number after it has written a message for people (ended by a
 * zero) to the `message` buffer of `message_size` bytes. A failure ends the run on all ranks. */
/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using,readability-identifier-naming): this is C */
#ifndef PLUMBLINE_RUNTIME_STAGE_H
#define PLUMBLINE_RUNTIME_STAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUMBLINE_STAGE_INTERFACE 1

enum plumbline_element {
  PLUMBLINE_BYTE = 0, /* opaque to Plumbline; 1 byte */
  PLUMBLINE_F32 = 1,
  PLUMBLINE_BF16 = 2,
  PLUMBLINE_I32 = 3
};

/* So many elements of one type; count 0: the stage has no such thing. */
struct plumbline_extent {
  uint64_t count;
  int32_t element; /* an enum plumbline_element */
};

/* Memory of `count` elements. data is null where the stage has no such thing, or the call does not need it. */
struct plumbline_buffer {
  void *data;
  uint64_t count;
};

/* What a stage is made from. Two stages made from equal requests start with equal parameters. */
struct plumbline_stage_request {
  int32_t stage;       /* its place in the pipeline, 0 to stages-1 */
  int32_t stages;      /* of the whole pipeline, at least 1 */
  int32_t device;      /* number of a CUDA device, which is current in every call; -1: host memory */
  uint64_t seed;       /* of the initial parameters */
  const char *options; /* as the user gave them: "width=64,layers=2"; "" if none */
};

/* Sizes of the tensors of one microbatch, and of what the stage keeps. */
struct plumbline_stage_sizes {
  struct plumbline_extent input;  /* what forward takes; of stage 0 what the data source gives */
  struct plumbline_extent output; /* what forward makes; equal to the next stage's input. Of the last stage: one f32,
                                     the mean loss of the microbatch */
  struct plumbline_extent labels; /* of the last stage: what the loss is measured against; else nothing */
  struct plumbline_extent stash;  /* what forward leaves for the backward passes */
  struct plumbline_extent parameters; /* weights; the executor keeps as many versions as the schedule wants */
  struct plumbline_extent gradients;  /* of the weights, f32; summed over microbatches */
  struct plumbline_extent optimizer;  /* state of the optimizer */
  uint64_t workspace;                 /* bytes that every call may use; what they hold is lost after the call */
};

/* One pass over one microbatch. */
struct plumbline_pass {
  int32_t microbatch;
  void *stream; /* a cudaStream_t; null on the host */
  float scale;  /* of the last stage: the gradient of the loss that its backward pass starts from */
  struct plumbline_buffer input;
  struct plumbline_buffer output;
  struct plumbline_buffer labels;
  struct plumbline_buffer stash;
  struct plumbline_buffer output_gradient; /* same extent as output; null on the last stage */
  struct plumbline_buffer input_gradient;  /* same extent as input; null on stage 0 */
  struct plumbline_buffer parameters;
  struct plumbline_buffer gradients;
  struct plumbline_buffer workspace; /* in bytes */
  char *message;
  size_t message_size;
};

/* One step of the optimizer, or the first values of the parameters. */
struct plumbline_update {
  void *stream;
  int64_t step; /* updates before this one */
  float learning_rate;
  struct plumbline_buffer from;       /* parameters before the update */
  struct plumbline_buffer parameters; /* parameters after it; may be the same memory as `from` */
  struct plumbline_buffer gradients;
  struct plumbline_buffer optimizer;
  struct plumbline_buffer workspace;
  char *message;
  size_t message_size;
};

struct plumbline_stage_functions {
  uint32_t interface_version; /* PLUMBLINE_STAGE_INTERFACE */
  const char *name;

  /* Makes a stage: writes it to *stage, and its sizes to *sizes. May allocate. */
  int (*create)(const struct plumbline_stage_request *request, void **stage, struct plumbline_stage_sizes *sizes,
                char *message, size_t message_size);
  void (*destroy)(void *stage);

  /* Writes the first parameters and optimizer state (update.parameters, update.optimizer). */
  int (*initialize)(void *stage, const struct plumbline_update *update);

  /* Reads input, parameters, and labels on the last stage. Writes all of output and stash. */
  int (*forward)(void *stage, const struct plumbline_pass *pass);
  /* Reads input, labels, parameters, and output_gradient (on the last stage: scale). May read and write stash.
   * Writes all of input_gradient, where that is not null, and adds to gradients. Must give the bits that
   * backward_input followed by backward_weight gives. */
  int (*backward)(void *stage, const struct plumbline_pass *pass);
  /* The two halves: the first writes input_gradient, and to the stash whatever the second one needs; the second gets
   * input, stash, output_gradient and parameters once more, and adds to gradients. Null, both, if the stage cannot
   * split its backward pass; schedules that do are refused then. */
  int (*backward_input)(void *stage, const struct plumbline_pass *pass);
  int (*backward_weight)(void *stage, const struct plumbline_pass *pass);

  /* Reads `from`, gradients, optimizer; writes parameters and optimizer. The executor sets gradients to zero after. */
  int (*optimizer_step)(void *stage, const struct plumbline_update *update);
};

#ifdef __cplusplus
}
#endif

#endif
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using,readability-identifier-naming) */
