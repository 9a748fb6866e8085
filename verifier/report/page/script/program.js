// One judged program: a typed array for each property of its instructions, and the words for them.

const Fate = {ended: 0, stuck: 1, never: 2}; // stuck: it has begun and never ends

class Program {
  constructor(data) {
    this.data = data;
    const columns = data.columns;
    const n = data.program.instructions;
    this.names = columns.names; // [stage first?, text, microbatch?, text]
    this.count = n;
    this.unit = data.ticksPerUnit;
    const ints = (text, count = n) => readColumn(text, new Int32Array(count));
    for (const key of ["opcode", "stage", "microbatch", "peer", "group", "lane", "name", "file", "line", "column"])
      this[key] = ints(columns[key]);
    this.readRanks(columns, data.program.ranks);
    this.readTimes(columns);
    this.readPartners(columns);
    this.readTouches(columns, ints);
    this.readLives(columns, ints);
    this.makespan = data.makespan / this.unit;
    this.hangs = this.fate.some(fate => fate !== Fate.ended);
  }

  readRanks(columns, ranks) {
    this.rankStart = readStarts(columns.ofRank, ranks);
    this.rank = new Int32Array(this.count);
    for (let r = 0; r < ranks; ++r)
      this.rank.fill(r, this.rankStart[r], this.rankStart[r + 1]);
  }

  // In units of the costs. What never happens has no times; `Lanes` gives it a place.
  readTimes(columns) {
    const begin = readColumn(columns.begin, new Float64Array(this.count));
    const takes = readColumn(columns.takes, new Float64Array(this.count));
    this.begin = begin;
    this.takes = takes;
    this.fate = new Uint8Array(this.count);
    for (let k = 0; k < this.count; ++k) {
      this.fate[k] = begin[k] < 0 ? Fate.never : takes[k] < 0 ? Fate.stuck : Fate.ended;
      begin[k] /= this.unit;
      takes[k] /= this.unit;
    }
  }

  readPartners(columns) {
    const forward = readColumn(columns.partner, new Int32Array(this.count));
    this.partner = new Int32Array(this.count).fill(-1);
    for (let k = 0; k < this.count; ++k)
      if (forward[k] > 0) {
        this.partner[k] = k + forward[k];
        this.partner[k + forward[k]] = k;
      }
  }

  readTouches(columns, ints) {
    this.accessStart = readStarts(columns.accesses, this.count);
    const accesses = this.accessStart[this.count];
    for (const key of ["accessPool", "accessSlot", "accessValue", "accessStage", "accessMicrobatch"])
      this[key] = ints(columns[key], accesses);
    this.waitStart = readStarts(columns.waits, this.count);
    this.waited = ints(columns.waited, this.waitStart[this.count]);
    for (let k = 0; k < this.count; ++k)
      for (let w = this.waitStart[k]; w < this.waitStart[k + 1]; ++w)
        this.waited[w] = k - this.waited[w];
  }

  readLives(columns, ints) {
    const n = this.data.lives;
    for (const key of ["lifePool", "lifeSlot", "lifeLeastSlot", "lifeBirth", "lifeLast", "lifeMarks"])
      this[key] = ints(columns[key], n);
    this.lifeCount = n;
    this.lifeMicrobatch = new Int32Array(n).fill(-1); // of the value, not of what writes it
    for (let l = 0; l < n; ++l) {
      const access = this.writtenAt(l);
      if (access >= 0)
        this.lifeMicrobatch[l] = this.accessMicrobatch[access] + this.microbatch[this.lifeBirth[l]];
    }
    this.usedPools = new Set(this.accessPool);
  }

  // The access that puts the value of a life into its slot.
  writtenAt(l) {
    const birth = this.lifeBirth[l];
    for (let a = this.accessStart[birth]; a < this.accessStart[birth + 1]; ++a)
      if ((this.accessValue[a] & 1) === 1 && this.accessPool[a] === this.lifePool[l] && this.accessSlot[a] === this.lifeSlot[l])
        return a;
    return -1;
  }

  waitsOf(k) { return this.waited.subarray(this.waitStart[k], this.waitStart[k + 1]); }

  opcodeName(k) { return this.data.opcodes[this.opcode[k]]; }

  stageInReplica(stage) {
    const period = this.data.program.stagesPerReplica || this.data.program.stages;
    return period > 0 ? stage % period : stage;
  }

  nameOf(k) {
    const [stage, before, microbatch, after] = this.names[this.name[k]];
    return (stage ? this.stageInReplica(this.stage[k]) : "") + before + (microbatch ? this.microbatch[k] : "") + after;
  }

  stageText(stage) {
    const {replicas, stagesPerReplica} = this.data.program;
    if (replicas === 1 || stagesPerReplica === 0)
      return `stage ${stage}`;
    const replica = Math.floor(stage / stagesPerReplica);
    return stagesPerReplica === 1 ? `replica ${replica}` : `stage ${stage % stagesPerReplica} of direction ${replica}`;
  }

  // "rank 2: SendGrad(buffer_id=0) of microbatch 4"
  fullNameOf(k) {
    const name = this.nameOf(k);
    const tells = this.names[this.name[k]][2] || this.microbatch[k] < 0;
    return `rank ${this.rank[k]}: ${name}${tells ? "" : ` of microbatch ${this.microbatch[k]}`}`;
  }

  placeOf(k) {
    if (this.file[k] < 0)
      return "";
    const file = this.data.files[this.file[k]];
    return this.line[k] > 0 ? `${file}:${this.line[k]}:${this.column[k]}` : file;
  }

  poolText(pool) { return this.data.pools[pool][0]; }

  // What an access of instruction k touches: slot, whether it writes, and the value in words.
  accessesOf(k) {
    const list = [];
    for (let a = this.accessStart[k]; a < this.accessStart[k + 1]; ++a) {
      const stage = this.accessStage[a] + this.stage[k];
      const microbatch = this.accessMicrobatch[a] + this.microbatch[k];
      const kind = this.data.values[this.accessValue[a] >> 1];
      list.push({
        pool: this.accessPool[a],
        slot: this.accessSlot[a],
        slotText: `${this.poolText(this.accessPool[a])}[${this.accessSlot[a]}]`,
        writes: (this.accessValue[a] & 1) === 1,
        value: kind + (microbatch >= 0 ? ` of microbatch ${microbatch}` : "") +
            (stage >= 0 && stage !== this.stage[k] ? ` of ${this.stageText(stage)}` : ""),
      });
    }
    return list;
  }
}

// A time in units, without needless digits.
function timeText(units) {
  return String(Math.round(units * 1e4) / 1e4);
}
