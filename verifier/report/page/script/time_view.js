// The stretch of time that is shown, shared by all charts of the page.

class TimeView {
  // `end` of everything there is; `typical`: how long an instruction takes, more or less.
  constructor(end, typical, onChange) {
    this.end = end;
    this.typical = typical;
    this.onChange = onChange;
    this.least = Math.min(typical / 100, end / 2);
    this.fit();
  }

  // A little air on both sides, so that marks at the ends are whole.
  get margin() { return this.end * 0.012; }
  get isFit() { return this.span > (this.end + 2 * this.margin) * (1 - 1e-9); }
  get span() { return this.to - this.from; }

  set(from, to) {
    const most = this.end + 2 * this.margin;
    const span = Math.min(Math.max(to - from, this.least), most);
    this.from = Math.min(Math.max((from + to - span) / 2, -this.margin), this.end + this.margin - span);
    this.to = this.from + span;
    this.onChange();
  }

  fit() { this.set(-this.margin, this.end + this.margin); }
  pan(share) { this.set(this.from + share * this.span, this.to + share * this.span); }

  // Keeps the time at `share` of the width where it is.
  zoom(factor, share = 0.5) {
    const time = this.from + share * this.span;
    const span = Math.max(this.span * factor, this.least);
    this.set(time - share * span, time + (1 - share) * span);
  }

  // Moves as little as possible to show this stretch with room around it; widens what would be a hair.
  reveal(from, to) {
    const wide = Math.max(to - from, this.typical / 2);
    if (this.span > wide * 150)
      this.set((from + to) / 2 - wide * 20, (from + to) / 2 + wide * 20);
    else if (from < this.from + 0.05 * this.span || to > this.to - 0.05 * this.span) {
      const span = Math.max(this.span, wide * 1.5);
      this.set((from + to - span) / 2, (from + to + span) / 2);
    }
  }
}
