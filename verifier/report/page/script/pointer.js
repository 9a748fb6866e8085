// Mouse, wheel and fingers on a chart: drag to pan, turn to scroll or zoom, pinch to zoom, point, click.

class Pointer {
  constructor(app, chart, actions) {
    this.app = app;
    this.chart = chart;
    this.actions = actions; // hover(x, y, event), leave(), click(x, y), open(x, y)
    this.down = new Map();
    const host = chart.canvas;
    host.addEventListener("pointerdown", event => this.press(event));
    host.addEventListener("pointermove", event => this.move(event));
    host.addEventListener("pointerup", event => this.release(event));
    host.addEventListener("pointercancel", event => this.down.delete(event.pointerId));
    host.addEventListener("pointerleave", () => actions.leave());
    host.addEventListener("dblclick", event => actions.open(event.offsetX, event.offsetY));
    host.addEventListener("wheel", event => this.turn(event), {passive: false});
  }

  press(event) {
    if (event.button !== 0)
      return;
    this.down.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
    this.moved = this.moved && this.down.size > 1;
    this.chart.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    const last = this.down.get(event.pointerId);
    if (!last) {
      this.actions.hover(event.offsetX, event.offsetY, event);
      return;
    }
    const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
    if (!this.moved && Math.hypot(dx, dy) < 4)
      return;
    this.moved = true;
    this.actions.leave();
    if (this.down.size === 2)
      this.pinch(event);
    else {
      this.app.view.pan(-dx / this.chart.plotWidth);
      this.app.scroll(this.chart, this.chart.scroll - dy);
    }
    this.down.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
  }

  pinch(event) {
    const [other] = [...this.down].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    const before = this.down.get(event.pointerId);
    const was = Math.max(Math.abs(before.x - other.x), 20);
    const is = Math.max(Math.abs(event.offsetX - other.x), 20);
    this.app.view.zoom(was / is, this.shareAt((event.offsetX + other.x) / 2));
  }

  release(event) {
    const had = this.down.delete(event.pointerId);
    if (had && !this.moved)
      this.actions.click(event.offsetX, event.offsetY);
    if (this.down.size === 0)
      this.moved = false;
  }

  shareAt(x) { return Math.min(Math.max((x - gutterWidth) / this.chart.plotWidth, 0), 1); }

  // Scrolls down where there is something below, zooms where there is not, or with Ctrl; sideways it pans.
  turn(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const [dx, dy] = [event.deltaX * lines, event.deltaY * lines];
    this.actions.leave();
    if (event.ctrlKey || event.metaKey || (this.chart.overflow === 0 && !event.shiftKey && Math.abs(dy) > Math.abs(dx)))
      this.app.view.zoom(Math.exp(Math.min(Math.max(dy, -200), 200) * 0.002), this.shareAt(event.offsetX));
    else if (event.shiftKey || Math.abs(dx) > Math.abs(dy))
      this.app.view.pan((event.shiftKey && dx === 0 ? dy : dx) / this.chart.plotWidth);
    else {
      this.app.scroll(this.chart, this.chart.scroll + dy);
    }
  }
}
