// Finds instructions: by name (2F3, SendGrad), or by words (rank 2 F 5, line 57, stage 1 microbatch 3).

// Maps, for anything may be looked up in them.
const searchOpcodes = new Map(Object.entries({
  f: ["forward"], b: ["backward"], i: ["backward_input"], w: ["backward_weight"], r: ["recompute"],
  send_f: ["send_activation"], recv_f: ["receive_activation"], send_b: ["send_gradient"], recv_b: ["receive_gradient"],
  send: ["send_activation", "send_gradient", "send_message"],
  receive: ["receive_activation", "receive_gradient", "receive_message"],
  recv: ["receive_activation", "receive_gradient", "receive_message"],
}));
const searchNumbers = new Map(Object.entries({
  rank: "rank", stage: "stage", microbatch: "microbatch", mb: "microbatch", line: "line", column: "column", peer: "peer",
}));

// Tests that an instruction must pass, one for each word or pair of words.
function testsOf(program, query) {
  const words = query.toLowerCase().split(/[\s,:=]+/).filter(word => word !== "");
  const tests = [];
  while (words.length > 0) {
    const word = words.shift();
    const property = searchNumbers.get(word.replace(/s$/, "")) ?? searchNumbers.get(word);
    if (property && /^\d+$/.test(words[0] ?? ""))
      tests.push(equals(program[property], Number(words.shift())));
    else if (searchOpcodes.has(word)) {
      tests.push(hasOpcode(program, searchOpcodes.get(word)));
      if (/^\d+$/.test(words[0] ?? ""))
        tests.push(equals(program.microbatch, Number(words.shift())));
    } else
      tests.push(named(program, word));
  }
  return tests;
}

function equals(column, number) { return k => column[k] === number; }

function hasOpcode(program, names) {
  const wanted = program.data.opcodes.map(name => names.includes(name));
  return k => wanted[program.opcode[k]];
}

// 2F3, F3 and 2F name stage and microbatch; every other word is a part of the name or of the opcode.
function named(program, word) {
  const cell = /^(\d*)(send_f|recv_f|send_b|recv_b|[fbiwr])(\d*)$/.exec(word);
  if (cell && (cell[1] || cell[3])) {
    const opcode = hasOpcode(program, searchOpcodes.get(cell[2]));
    const [stage, microbatch] = [cell[1], cell[3]].map(text => text === "" ? -1 : Number(text));
    return k => opcode(k) && (stage < 0 || program.stageInReplica(program.stage[k]) === stage) &&
        (microbatch < 0 || program.microbatch[k] === microbatch);
  }
  const inOpcode = program.data.opcodes.map(name => name.includes(word));
  return k => inOpcode[program.opcode[k]] || program.nameOf(k).toLowerCase().includes(word);
}

// The indices of all instructions that the query means, in order; none for an empty query.
function findInstructions(program, query) {
  const tests = testsOf(program, query);
  const found = [];
  if (tests.length > 0)
    for (let k = 0; k < program.count; ++k)
      if (tests.every(test => test(k)))
        found.push(k);
  return found;
}
