// Lanes from far: where boxes are narrower than the eye tells apart, each pixel shows the mean of what runs in it.

class Strips {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.pen = this.canvas.getContext("2d");
    this.width = 0;
  }

  // Once a frame: the width of the plot in pixels, and the colour behind the boxes.
  begin(width, background) {
    if (width !== this.width) {
      this.width = width;
      this.red = new Float32Array(width);
      this.green = new Float32Array(width);
      this.blue = new Float32Array(width);
      this.cover = new Float32Array(width);
      this.image = new ImageData(width, 1);
      this.canvas.width = width;
      this.canvas.height = 1;
    }
    this.background = background;
    for (const sum of [this.red, this.green, this.blue, this.cover])
      sum.fill(0);
  }

  // `from` and `to` in pixels of the plot; `weight` below 1 is pale.
  add(from, to, rgb, at, weight = 1) {
    const start = Math.max(Math.floor(from), 0);
    const end = Math.min(Math.ceil(to), this.width);
    for (let x = start; x < end; ++x) {
      const part = (Math.min(to, x + 1) - Math.max(from, x)) * weight;
      this.red[x] += part * rgb[at];
      this.green[x] += part * rgb[at + 1];
      this.blue[x] += part * rgb[at + 2];
      this.cover[x] += part;
    }
  }

  // Paints what was added into a rectangle of another canvas, and forgets it.
  paint(pen, x, y, width, height) {
    const pixels = this.image.data;
    const [r, g, b] = this.background;
    for (let k = 0, p = 0; k < this.width; ++k, p += 4) {
      const cover = this.cover[k];
      const scale = cover > 1 ? 1 / cover : 1;
      const rest = cover > 1 ? 0 : 1 - cover;
      pixels[p] = this.red[k] * scale + rest * r;
      pixels[p + 1] = this.green[k] * scale + rest * g;
      pixels[p + 2] = this.blue[k] * scale + rest * b;
      pixels[p + 3] = cover > 0 ? 255 : 0;
    }
    this.pen.putImageData(this.image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.canvas, x, y, width, height);
    this.begin(this.width, this.background);
  }
}
