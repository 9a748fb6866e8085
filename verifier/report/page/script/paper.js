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
    this.app.drawNow(begins ? 2 : devicePixelRatio || 1);
  }

  unfoldBoxes(begins) {
    if (begins)
      this.opened = [...this.panel.root.querySelectorAll("details:not([open])")];
    this.opened.forEach(box => box.open = begins);
  }
}
