// Backward through a drawn graph, node by node. All data comes at once: the slider asks
// nothing of Python, so it also works where no kernel runs.

export default { render };

function make(tag, parent, attributes = {}, text = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.textContent = text;
  parent.append(node);
  return node;
}

function render({ model, el }) {
  const data = JSON.parse(model.get("data"));
  make("style", el, {}, `.${model.get("still")} { display: none; }`);
  new Backward(data, el);
}

class Backward {
  constructor(data, el) {
    this.data = data;
    this.root = make("div", el, {
      class: "mg-graph", tabindex: 0, role: "group", "aria-label": data.title,
      "data-lm-suppress-shortcuts": "true",
    });
    this.bar();
    this.drawing = make("div", this.root, { class: "mg-graph-picture" });
    this.drawing.innerHTML = data.svg;
    make("p", this.root, { class: "mg-help" },
      "Left and right: one node back or on. Orange: the node whose turn it is. " +
      "Dark: nodes that are done.");
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.go(0);
  }

  bar() {
    const bar = make("div", this.root, { class: "mg-bar" });
    const back = make("button", bar, { type: "button" }, "Back");
    const next = make("button", bar, { type: "button" }, "Next");
    this.slider = make("input", bar, {
      type: "range", min: 0, max: this.data.steps.length - 1, value: 0,
      "aria-label": "step of backward",
    });
    this.caption = make("output", bar, { "aria-live": "polite" });
    back.onclick = () => this.go(this.at - 1);
    next.onclick = () => this.go(this.at + 1);
    this.slider.oninput = () => this.go(Number(this.slider.value));
  }

  key(event) {
    const last = this.data.steps.length - 1;
    const steps = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last };
    if (!(event.key in steps)) return;
    this.go(steps[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }

  go(at) {
    this.at = Math.min(Math.max(at, 0), this.data.steps.length - 1);
    this.slider.value = this.at;
    const now = this.data.steps[this.at];
    this.caption.textContent = now.caption;
    this.slider.setAttribute("aria-valuetext", now.caption);
    const come = new Map(this.data.steps.slice(0, this.at + 1).map((s) => [`${s.node}`, s.grad]));
    for (const text of this.drawing.querySelectorAll(".mg-come")) {
      text.textContent = come.get(text.parentNode.dataset.node) || "";
    }
    const done = new Set(this.data.steps.slice(0, this.at).map((s) => `${s.node}`));
    for (const node of this.drawing.querySelectorAll(".mg-node")) {
      node.classList.toggle("mg-now", node.dataset.node === `${now.node}`);
      node.classList.toggle("mg-done", done.has(node.dataset.node));
    }
    for (const edge of this.drawing.querySelectorAll(".mg-edge")) {
      edge.classList.toggle("mg-now", edge.dataset.from === `${now.node}`);
      edge.classList.toggle("mg-done", done.has(edge.dataset.from));
    }
  }
}
