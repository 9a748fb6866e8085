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
    this.findings.forEach((finding, index) => {
      finding.number = index + 1;
      if (finding.instruction >= 0)
        this.findingsAt.set(finding.instruction, [...this.findingsAt.get(finding.instruction) ?? [], finding]);
    });
  }
}
