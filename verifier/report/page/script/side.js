// One of the schedules on the page: its program, where everything stands, and what was found.

class Side {
  constructor(data, isNext) {
    this.data = data;
    this.isNext = isNext;
    this.findings = [];
    this.findingsAt = new Map(); // by instruction
    this.twins = null;           // of a difference: the same instruction in the other schedule, or -1
    this.matches = null;         // of the search: a flag for each instruction
    if (data.error)
      return;
    this.program = new Program(data);
    this.lanes = new Lanes(this.program);
    this.looks = new Looks(this.program);
    this.findings = data.findings;
    this.findingsOfLife = new Map(); // those that say that a value is not safe in its slot
    this.overlaps = findOverlaps(this.program, this.looks);
    this.findings.forEach((finding, index) => {
      finding.number = index + 1;
      if (finding.instruction >= 0)
        this.findingsAt.set(finding.instruction, [...this.findingsAt.get(finding.instruction) ?? [], finding]);
      for (const life of finding.lives)
        this.findingsOfLife.set(life, [...this.findingsOfLife.get(life) ?? [], finding]);
    });
  }
}

// Computations of one group overlap; the chart has them one after the other. For each such one all of its group.
function findOverlaps(program, looks) {
  const groups = new Map();
  for (let k = 0; k < program.count; ++k) {
    if (program.group[k] < 0 || !looks.computes(k))
      continue;
    if (!groups.has(program.group[k]))
      groups.set(program.group[k], []);
    groups.get(program.group[k]).push(k);
  }
  const overlaps = new Map();
  for (const members of groups.values())
    if (members.length > 1)
      members.forEach(k => overlaps.set(k, members));
  return overlaps;
}
