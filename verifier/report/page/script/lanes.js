// Where the instructions of a program stand: from when to when each is shown, and the order within each lane.
//
// What takes time is a box, what takes none a mark. What has begun and never ends is a box up to the end of the step.
// What never begins has no time: it stands behind the end, in its lane's order, each as wide as any other.

class Lanes {
  constructor(program) {
    this.program = program;
    this.from = new Float64Array(program.count);
    this.to = new Float64Array(program.count);
    this.row = new Uint8Array(program.count);  // of boxes that overlap in their lane
    this.rows = new Uint8Array(program.count).fill(1);
    this.markAt = new Int32Array(program.count);    // place among the marks of its lane at the same time
    this.markCount = new Int32Array(program.count); // 0: it is no mark
    this.markRoom = new Float64Array(program.count);
    this.typical = meanDuration(program);
    this.stepEnd = program.makespan || this.typical;
    this.end = this.stepEnd;
    this.neverFrom = this.stepEnd + this.typical;
    this.lanes = program.data.lanes.map(([rank, communicator]) => ({rank, communicator, all: []}));
    for (let k = 0; k < program.count; ++k)
      this.lanes[program.lane[k]].all.push(k);
    for (const lane of this.lanes)
      this.place(lane);
  }

  place(lane) {
    const {program, from, to} = this;
    let behind = this.neverFrom;
    const boxes = [];
    const marks = [];
    lane.all.forEach((k, order) => {
      if (program.fate[k] === Fate.never) {
        from[k] = behind;
        to[k] = behind += this.typical;
      } else {
        from[k] = program.begin[k];
        to[k] = program.fate[k] === Fate.stuck ? this.stepEnd + 0.75 * this.typical : from[k] + program.takes[k];
      }
      this.end = Math.max(this.end, to[k]);
      (to[k] > from[k] ? boxes : marks).push(k);
    });
    const byTime = (a, b) => from[a] - from[b] || a - b;
    lane.boxes = Int32Array.from(boxes).sort(byTime);
    lane.marks = Int32Array.from(marks).sort(byTime);
    lane.all = Int32Array.from(lane.all);
    this.stackBoxes(lane);
    this.gatherMarks(lane);
  }

  // Boxes of one launch run at once: they share the lane's height. `reach[b]` is the latest end up to box b.
  stackBoxes(lane) {
    const {from, to} = this;
    lane.reach = new Float64Array(lane.boxes.length);
    let reach = -Infinity;
    let ends = [];
    let cluster = 0;
    const close = last => {
      for (let b = cluster; b < last; ++b)
        this.rows[lane.boxes[b]] = Math.min(ends.length, 255);
    };
    lane.boxes.forEach((k, b) => {
      if (from[k] >= reach) {
        close(b);
        cluster = b;
        ends = [];
      }
      let row = ends.findIndex(end => end <= from[k]);
      if (row < 0)
        row = Math.min(ends.length, 254);
      ends[row] = to[k];
      this.row[k] = row;
      lane.reach[b] = reach = Math.max(reach, to[k]);
    });
    close(lane.boxes.length);
  }

  // Marks at one time are spread to both sides, as far as half the way to the neighbours in time.
  gatherMarks(lane) {
    const {from} = this;
    const starts = [];
    lane.marks.forEach((k, m) => {
      if (m === 0 || from[k] !== from[lane.marks[m - 1]])
        starts.push(m);
    });
    starts.forEach((start, g) => {
      const end = starts[g + 1] ?? lane.marks.length;
      const time = from[lane.marks[start]];
      const before = g > 0 ? time - from[lane.marks[starts[g - 1]]] : Infinity;
      const after = end < lane.marks.length ? from[lane.marks[end]] - time : Infinity;
      for (let m = start; m < end; ++m) {
        this.markAt[lane.marks[m]] = m - start;
        this.markCount[lane.marks[m]] = end - start;
        this.markRoom[lane.marks[m]] = Math.min(before, after, this.end);
      }
    });
  }
}

// Of what takes time; 1 where nothing does.
function meanDuration(program) {
  let sum = 0;
  let count = 0;
  for (let k = 0; k < program.count; ++k)
    if (program.fate[k] === Fate.ended && program.takes[k] > 0) {
      sum += program.takes[k];
      ++count;
    }
  return count > 0 ? sum / count : 1;
}

// First index of `list` for which `isAtOrAfter(list[index])` holds; it holds for all behind it.
function firstIndex(length, isAtOrAfter) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAtOrAfter(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
