// What all charts share: a canvas as sharp as the screen, a gutter with names, the time axis, scrolling down.

const gutterWidth = 112;
const rulerHeight = 22;

class Chart {
  constructor(app, host, label) {
    this.app = app;
    this.scroll = 0;
    this.contentHeight = 0;
    this.width = this.height = 0;
    this.canvas = make("canvas", {});
    this.host = host;
    host.tabIndex = 0;
    host.setAttribute("role", "application");
    host.setAttribute("aria-label", label);
    host.append(this.canvas);
    this.pen = this.canvas.getContext("2d", {alpha: false});
    this.hatches = makeHatches(this.pen);
    new ResizeObserver(() => app.redraw()).observe(host);
  }

  get plotWidth() { return Math.max(this.width - gutterWidth, 1); }
  get pixelsPerUnit() { return this.plotWidth / this.app.view.span; }
  x(time) { return gutterWidth + (time - this.app.view.from) * this.pixelsPerUnit; }
  timeAt(x) { return this.app.view.from + (x - gutterWidth) / this.pixelsPerUnit; }
  get overflow() { return Math.max(0, this.contentHeight - (this.height - rulerHeight)); }

  scrollTo(top) { this.scroll = Math.min(Math.max(top, 0), this.overflow); }

  // Scrolls so far that this stretch of the content is seen.
  showRows(top, height) {
    const seen = this.height - rulerHeight;
    if (top < this.scroll || top + height > this.scroll + seen)
      this.scrollTo(top + height / 2 - seen / 2);
  }

  measure(ratio) {
    const {clientWidth, clientHeight} = this.host;
    this.width = clientWidth;
    this.height = this.app.printing ? this.paperHeight() : clientHeight;
    this.ratio = ratio;
    const [w, h] = [Math.round(clientWidth * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.layOut();
    // Paper has room for more, and the screen is to be again as it was.
    const wanted = this.screenScroll ?? this.scroll;
    this.screenScroll = this.app.printing ? wanted : undefined;
    this.scrollTo(wanted);
  }

  drawGutterGround() {
    const {pen, app} = this;
    pen.fillStyle = app.ink.paper;
    pen.fillRect(0, rulerHeight, gutterWidth, this.height);
    pen.fillStyle = app.ink.line;
    pen.fillRect(gutterWidth - 1, 0, 1, this.height);
    pen.textBaseline = "middle";
  }

  draw(ratio) {
    this.measure(ratio);
    if (this.width === 0 || this.height === 0)
      return;
    const {pen, app} = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = app.ink.surface;
    pen.fillRect(0, 0, this.width, this.height);
    pen.save();
    pen.beginPath();
    pen.rect(gutterWidth, rulerHeight, this.plotWidth, this.height - rulerHeight);
    pen.clip();
    this.drawContent();
    pen.restore();
    this.drawGutterGround();
    this.drawGutter();
    this.drawRuler();
    this.drawScrollBar();
  }

  font(size, weight = "") {
    this.pen.font = `${weight} ${size}px ${this.app.ink.font}`;
  }

  // Where nothing takes time there is no time but 0.
  ticks() {
    const last = this.program.makespan > 0 ? this.lastTime() : 0;
    return ticksOf(this.app.view, this.pixelsPerUnit, 56).filter(time => time <= last);
  }

  drawGrid() {
    const {pen, app} = this;
    pen.fillStyle = app.ink.line;
    for (const time of this.ticks())
      pen.fillRect(Math.round(this.x(time)), rulerHeight, 1, this.height);
  }

  drawRuler() {
    const {pen, app} = this;
    pen.fillStyle = app.ink.paper;
    pen.fillRect(0, 0, this.width, rulerHeight);
    pen.fillStyle = app.ink.line;
    pen.fillRect(0, rulerHeight - 1, this.width, 1);
    this.font(11);
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.fillStyle = app.ink.muted;
    pen.fillText(this.rulerText(), 8, rulerHeight / 2);
    for (const time of this.ticks()) {
      const x = Math.round(this.x(time));
      if (x < gutterWidth)
        continue;
      pen.fillRect(x, rulerHeight - 5, 1, 5);
      const room = this.program.hangs ? Math.min(this.width, this.x(this.lastTime())) : this.width;
      if (x + 7 * timeText(time).length + 6 < room)
        pen.fillText(timeText(time), x + 3, rulerHeight / 2 - 1);
    }
    if (this.program.hangs)
      this.drawNeverTitle();
  }

  // Behind the last event there is no time.
  drawNeverTitle() {
    const x = Math.max(this.x(this.lastTime()), gutterWidth);
    if (x > this.width - 80)
      return;
    this.pen.fillStyle = this.app.ink.paper;
    this.pen.fillRect(x - 1, 0, this.width, rulerHeight - 1);
    this.pen.fillStyle = this.app.ink.error;
    this.pen.fillText("never happens", x + 5, rulerHeight / 2 - 1);
  }

  drawScrollBar() {
    if (this.overflow === 0 || this.app.printing)
      return;
    const seen = this.height - rulerHeight;
    const length = Math.max(24, seen * seen / this.contentHeight);
    const top = rulerHeight + (seen - length) * (this.scroll / this.overflow);
    this.pen.fillStyle = this.app.ink.bar;
    this.pen.fillRect(this.width - 7, top, 5, length);
  }

  // A name in the gutter, cut to what fits.
  gutterText(text, x, y, room) {
    const {pen} = this;
    let shown = text;
    while (shown.length > 1 && pen.measureText(shown).width > room)
      shown = shown.slice(0, shown.endsWith("…") ? -2 : -1) + "…";
    pen.fillText(shown, x, y);
  }
}
