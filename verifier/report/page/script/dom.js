// Elements, built from data only: text always goes in as text.

// Attributes whose names begin with "on" are listeners; those that are undefined or false are left out.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

// Names may be of any length; where they only help, their beginning does.
function cut(text) {
  return text.length > 300 ? `${text.slice(0, 299).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

function counted(n, one, many = `${one}s`) { return `${n} ${String(n) === "1" ? one : many}`; }

function button(text, label, onclick, attributes = {}) {
  return make("button", {type: "button", title: cut(label), "aria-label": cut(label), onclick, ...attributes}, text);
}

// Puts other children into an element. If a button in it had the focus, the one with its data-key has it again, so that
// who came by keyboard can go on.
function refill(element, children) {
  const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  element.replaceChildren(...children);
  if (key)
    (element.querySelector(`[data-key="${key}"]`) ?? element.querySelector("button"))?.focus({preventScroll: true});
}

// What a name from the input looks like must not spill over the text around it, whatever its direction.
function bdi(text, attributes = {}) {
  return make("bdi", attributes, text);
}
