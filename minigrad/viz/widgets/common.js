// What the widgets share: elements, and a bar to go through steps.

function make(tag, parent, attributes = {}, text = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.textContent = text;
  parent.append(node);
  return node;
}

// The data of a widget of steps, and its root; the still picture is hidden.
function begin(model, el, look) {
  const data = JSON.parse(model.get("data"));
  make("style", el, {}, `.${model.get("still")} { display: none; }`);
  const root = make("div", el, {
    class: `mg-steps ${look}`, tabindex: 0, role: "group", "aria-label": data.title,
    "data-lm-suppress-shortcuts": "true",
  });
  return [data, root];
}

// Do `actions[key]()` when a key is pressed, and nothing else.
function onKeys(root, actions) {
  root.addEventListener("keydown", (event) => {
    if (!(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
}

// Steps by two buttons, a slider, and keys; show() is called after each.
class Steps {
  constructor(root, count, label, show) {
    this.at = 0;
    this.last = count - 1;
    this.show = show;
    const bar = make("div", root, { class: "mg-bar" });
    const back = make("button", bar, { type: "button" }, "Back");
    const next = make("button", bar, { type: "button" }, "Next");
    this.slider = make("input", bar, {
      type: "range", min: 0, max: this.last, value: 0, "aria-label": label,
    });
    this.caption = make("output", bar, { "aria-live": "polite" });
    back.onclick = () => this.go(this.at - 1);
    next.onclick = () => this.go(this.at + 1);
    this.slider.oninput = () => this.go(Number(this.slider.value));
    onKeys(root, {
      ArrowLeft: back.onclick, ArrowRight: next.onclick,
      Home: () => this.go(0), End: () => this.go(this.last),
    });
  }

  go(at) {
    this.at = Math.min(Math.max(at, 0), this.last);
    this.slider.value = this.at;
    this.show();
  }

  say(words) {
    this.caption.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
  }
}

