// What is printed: in light colours, drawn finer than on a screen, and unfolded, since nobody can click on paper.

class Paper {
  constructor(app, theme, panel) {
    this.app = app;
    this.theme = theme;
    this.panel = panel;
    this.opened = [];
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  print(begins) {
    this.app.printing = begins;
    this.theme.apply();
    this.panel.findings.unfoldAll(begins);
    this.unfoldBoxes(begins);
    this.keepScroll(begins);
    this.app.drawNow(begins ? 2 : devicePixelRatio || 1);
  }

  unfoldBoxes(begins) {
    if (begins)
      this.opened.push(...this.panel.root.querySelectorAll("details:not([open])"));
    this.opened.forEach(box => box.open = begins);
    if (!begins)
      this.opened = [];
  }

  keepScroll(begins) {
    const {scroller} = this.panel;
    if (begins)
      this.scrolled ??= scroller.scrollTop;
    else {
      scroller.scrollTop = this.scrolled ?? scroller.scrollTop;
      this.scrolled = undefined;
    }
  }
}
