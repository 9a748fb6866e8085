// Reads `.pir` text: a Program as people write and read it.
//
// One thing a line; white space is free otherwise; `;` starts a comment. Names are words ([A-Za-z_][A-Za-z0-9_.-]*) or
// strings in quotation marks ("\"", "\\", "\n", "\t" and "\xHH" are escapes). Numbers count from 0. All but the first
// line and the rank blocks may be left out; the value after `=` below is what then holds.
//
//   plumbline ir 1
//   name "text"                           = the file's name
//   mode training|inference|fragment      = training
//   execution blocking|streams            = streams
//   waits_for_groups                      the host waits for each launch (= it does not)
//   replicas N                            = 1
//   stages N                              of one replica (= those named, over all replicas)
//   microbatches N                        = the highest named, plus one
//   groups N                              = as many as there are group blocks
//   file N "name"                         what `at N:...` refers to
//   communicator NAME [members R R ...] [room N]        (= every rank, room as the model says)
//   stage N on rank R | stage N on no rank              (= the first rank with an instruction of the stage)
//   pool NAME on rank R [declared N] [declaration N]    only where pools do not stand by rank
//   rank N {                              ranks in order 0, 1, ...
//     pool NAME [declared N] [declaration N]
//     INSTRUCTION
//     group [N] {                         (= the number after the last group's)
//       INSTRUCTION
//     }
//   }
//
//   INSTRUCTION: [%name =] OPCODE [sN] [mN] PART...      opcodes as in opcode.h
//   PART: to R (sends) | from R (receives) | root R (broadcast) | peer R (anything else)
//       | via COMMUNICATOR         messages and broadcasts: = the first one, or "pipeline" if none is declared
//       | label "text" | bytes N | type f64|f32|f16|bf16|f8|i64|i32|i16|i8|bool
//       | read ACCESS, ... | write ACCESS, ...           an instruction reads before it writes
//       | wait %name, ...          names of instructions above in the same rank
//       | at FILE:LINE:COLUMN      where the instruction came from
//   ACCESS: POOL[SLOT]:KIND or POOL[SLOT]:KIND(sN|-, mN|-)   kinds: input, output, output_gradient, input_gradient,
//       labels, loss, other; = the stage and microbatch of the instruction
//   A POOL or COMMUNICATOR whose name is not the only one of its kind is written NAME#N, N counting all from 0.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/program.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline {

// Reads the text; `name` is the name that locations and messages use. The Program satisfies validate(), every
// instruction's location is its place in this text, its origin what `at` says. Errors: anything that is not in the
// grammar, a name or number that refers to nothing, a number beyond verifier/ir/limits.h. Linear.
Result<Program> parsePir(const std::string &name, llvm::StringRef text);

} // namespace plumbline
