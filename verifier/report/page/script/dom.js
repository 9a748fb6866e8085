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

function button(text, label, onclick, attributes = {}) {
  return make("button", {type: "button", title: label, "aria-label": label, onclick, ...attributes}, text);
}

// What a name from the input looks like must not spill over the text around it, whatever its direction.
function bdi(text, attributes = {}) {
  return make("bdi", attributes, text);
}
