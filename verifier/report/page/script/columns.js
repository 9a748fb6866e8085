// Reads a column of whole numbers (see columns.h for its form).

const columnDigits = new Uint8Array(128);
for (const [k, letter] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  columnDigits[letter.charCodeAt(0)] = k;

// Fills `column`, a typed array, from `text`, as far as both go.
function readColumn(text, column) {
  let last = 0;
  let at = 0;
  for (let k = 0; k < column.length && at < text.length; ++k) {
    let step = 0;
    let scale = 1;
    for (;;) {
      const digit = columnDigits[text.charCodeAt(at++)];
      step += (digit & 31) * scale; // not by shifts: differences of times have up to 53 bits
      if (digit < 32)
        break;
      scale *= 32;
    }
    last += step % 2 === 1 ? -(step - 1) / 2 : step / 2;
    column[k] = last;
  }
  return column;
}

// Starts of runs whose lengths a column tells: `starts[k]` to `starts[k + 1]` are those of entry k.
function readStarts(text, count) {
  const lengths = readColumn(text, new Int32Array(count));
  const starts = new Int32Array(count + 1);
  for (let k = 0; k < count; ++k)
    starts[k + 1] = starts[k] + lengths[k];
  return starts;
}
