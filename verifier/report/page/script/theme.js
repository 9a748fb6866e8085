// Light or dark: as the system has it until someone chooses. The colours themselves stand in style/colors.css.

class Theme {
  constructor(app) {
    this.app = app;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.chosen = null;
    this.dark.addEventListener("change", () => this.apply());
    this.apply();
  }

  get name() { return this.app.printing ? "light" : this.chosen ?? (this.dark.matches ? "dark" : "light"); }

  toggle() {
    this.chosen = this.name === "dark" ? "light" : "dark";
    this.apply();
  }

  apply() {
    document.documentElement.dataset.theme = this.name;
    this.app.ink = readInk();
    this.app.changed();
  }
}

// What canvases need of the style sheet.
function readInk() {
  const style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue(`--${name}`).trim();
  const rgb = text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16));
  const ink = {font: value("font")};
  for (const [key, name] of Object.entries({
    paper: "paper", surface: "surface", text: "text", muted: "muted", mutedFill: "muted", line: "line", bar: "bar",
    accent: "accent", error: "error", warning: "warning", onSeverity: "on-severity", never: "never", match: "match",
    only: "only", witness: "witness", onWitness: "on-witness", onLife: "on-life",
  }))
    ink[key] = value(name);
  ink.life = [1, 2, 3, 4].map(step => value(`life-${step}`));
  ink.surfaceRgb = rgb(ink.surface);
  ink.errorRgb = rgb(ink.error);
  ink.lineRgb = rgb(ink.line);
  return ink;
}
