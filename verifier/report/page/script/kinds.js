// What instructions look like: a hue and a hatch for each kind, a step of lightness by microbatch.
//
// The hues follow what people with any of the usual kinds of colour blindness tell apart: blue, amber, vermilion, teal,
// purple. The ranges of lightness of forward and backward do not meet, so that they differ in grey too.

const kinds = [
  {name: "forward", letter: "F", hatch: null, colors: ["#004885", "#1a5ea0", "#3374b8", "#4a8bd1"]},
  {name: "backward", letter: "B", hatch: "/", colors: ["#d49838", "#e8aa4e", "#fcbe62", "#fed7a3"]},
  {name: "backward, input half", letter: "I", hatch: "/", colors: ["#a23900", "#b54b19", "#c85c2e", "#da6d40"]},
  {name: "backward, weight half", letter: "W", hatch: ".", colors: ["#6ac0b5", "#7ed3c8", "#90e5da", "#a0f6ea"]},
  {name: "recompute", letter: "R", hatch: "|", colors: ["#864a81", "#9b5e96", "#b273ac", "#c888c2"]},
  {name: "other computing", letter: "", hatch: "-", colors: ["#646970", "#797e84", "#8d939a", "#a3a8af"]},
  {name: "activation", letter: "", hatch: null, colors: ["#005591", "#0b67a9", "#2779bc", "#3c8bd0"]},
  {name: "gradient", letter: "", hatch: "/", colors: ["#ae6700", "#be7620", "#cf8634", "#df9545"]},
  {name: "other message", letter: "", hatch: "-", colors: ["#834d7e", "#925b8d", "#a26a9d", "#b278ac"]},
  {name: "collective, load, step", letter: "", hatch: null, colors: ["#6c727a", "#6c727a", "#7a8189", "#7a8189"]},
];
const colorCount = kinds.length * 4;

const kindOfOpcode = {
  forward: 0, backward: 1, backward_input: 2, backward_weight: 3, recompute: 4, compute: 5,
  send_activation: 6, receive_activation: 6, send_gradient: 7, receive_gradient: 7,
  send_message: 8, receive_message: 8, broadcast: 8,
};
const shapeOfOpcode = {
  send_activation: "send", send_gradient: "send", send_message: "send",
  receive_activation: "receive", receive_gradient: "receive", receive_message: "receive",
};

// Neighbouring microbatches are two steps apart as often as four steps allow.
const stepOfMicrobatch = [0, 2, 1, 3];

const messageKinds = [6, 7, 8];

const colorText = kinds.flatMap(kind => kind.colors);
const colorRgb = new Uint8Array(colorCount * 3);
const colorIsDark = colorText.map((text, k) => {
  const rgb = [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16));
  colorRgb.set(rgb, k * 3);
  return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] < 140;
});

// For each instruction of a program: an index into the colours above, and its shape as a mark.
class Looks {
  constructor(program) {
    const kindOf = program.data.opcodes.map(name => kindOfOpcode[name] ?? 9);
    this.shapeOf = program.data.opcodes.map(name => shapeOfOpcode[name] ?? "point");
    this.color = new Uint8Array(program.count);
    this.present = new Set();
    for (let k = 0; k < program.count; ++k) {
      const kind = kindOf[program.opcode[k]];
      this.present.add(kind);
      this.color[k] = kind * 4 + (program.microbatch[k] < 0 ? 0 : stepOfMicrobatch[program.microbatch[k] % 4]);
    }
  }

  isMessage(k) { return messageKinds.includes(this.color[k] >> 2); }
  computes(k) { return this.color[k] >> 2 < messageKinds[0]; }
  kindOf(k) { return kinds[this.color[k] >> 2]; }
}

// Canvas patterns that lie over the colours; dark lines on light kinds, light ones on dark. Made once for a canvas.
function makeHatches(context) {
  const scale = 6;
  return kinds.map((kind, k) => {
    if (!kind.hatch)
      return null;
    const tile = document.createElement("canvas");
    tile.width = tile.height = scale;
    const pen = tile.getContext("2d");
    pen.strokeStyle = pen.fillStyle = colorIsDark[k * 4 + 1] ? "rgba(255,255,255,0.33)" : "rgba(0,0,0,0.22)";
    pen.lineWidth = 1;
    drawHatch(pen, kind.hatch, scale);
    return context.createPattern(tile, "repeat");
  });
}

function drawHatch(pen, hatch, size) {
  const lines = {
    "/": [[-1, 1, 1, -1], [0, size, size, 0], [size - 1, size + 1, size + 1, size - 1]],
    "|": [[size / 2 + 0.5, 0, size / 2 + 0.5, size]],
    "-": [[0, size / 2 + 0.5, size, size / 2 + 0.5]],
    ".": [],
  }[hatch];
  if (hatch === ".")
    pen.fillRect(2, 2, 2, 2);
  pen.beginPath();
  for (const [x0, y0, x1, y1] of lines) {
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
  }
  pen.stroke();
}
