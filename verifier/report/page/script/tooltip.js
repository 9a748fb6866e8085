// The box beside the pointer.

class Tooltip {
  constructor() {
    this.box = make("div", {class: "tooltip", role: "tooltip", hidden: true});
    document.body.append(this.box);
  }

  show(title, lines, x, y) {
    this.box.replaceChildren(make("strong", {}, bdi(title)), listOf(lines));
    this.box.hidden = false;
    const {offsetWidth, offsetHeight} = this.box;
    const left = x + 16 + offsetWidth > innerWidth ? x - 14 - offsetWidth : x + 16;
    const top = y + 18 + offsetHeight > innerHeight ? y - 14 - offsetHeight : y + 18;
    this.box.style.left = `${Math.max(left, 4)}px`;
    this.box.style.top = `${Math.max(top, 4)}px`;
  }

  hide() { this.box.hidden = true; }
}

function listOf(lines) {
  const list = make("dl", {class: "facts"});
  for (const [label, text] of lines)
    list.append(make("dt", {class: ["error", "warning"].includes(label) ? label : undefined}, label), make("dd", {}, bdi(text)));
  return list;
}
