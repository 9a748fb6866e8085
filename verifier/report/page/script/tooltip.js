// The box beside the pointer.

class Tooltip {
  constructor() {
    this.box = make("div", {class: "tooltip", role: "tooltip", hidden: true});
    document.body.append(this.box);
  }

  // Beside (x, y) in the window, and not over the way from there to `other`, if there is room elsewhere.
  show(title, lines, [x, y], other = [x, y]) {
    this.box.replaceChildren(make("strong", {}, bdi(cut(title))),
                             listOf(lines.map(([label, text]) => [label, cut(text)])));
    this.box.hidden = false;
    const {offsetWidth: width, offsetHeight: height} = this.box;
    const [left, right] = [Math.min(x, other[0]) - 14, Math.max(x, other[0]) + 14];
    const [top, bottom] = [Math.min(y, other[1]) - 14, Math.max(y, other[1]) + 18];
    const fits = ([a, b]) => a >= 4 && b >= 4 && a + width <= innerWidth - 4 && b + height <= innerHeight - 4;
    const places = [[x + 16, bottom], [x + 16, top - height], [x - 14 - width, bottom], [right, y], [left - width, y],
                    [right, innerHeight - 4 - height]];
    const [a, b] = places.find(fits) ?? [Math.max(innerWidth - width - 4, 4), 4];
    this.box.style.left = `${a}px`;
    this.box.style.top = `${b}px`;
  }

  hide() { this.box.hidden = true; }
}

function listOf(lines) {
  const list = make("dl", {class: "facts"});
  for (const [label, text] of lines)
    list.append(make("dt", {class: ["error", "warning"].includes(label) ? label : undefined}, label), make("dd", {}, bdi(text)));
  return list;
}
