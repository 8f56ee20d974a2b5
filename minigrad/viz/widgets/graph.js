// Backward through a drawn graph, node by node. All data comes at once: the slider asks
// nothing of Python, so it also works where no kernel runs.

export default { render };

function render({ model, el }) {
  new Backward(...begin(model, el, "mg-graph"));
}

class Backward {
  constructor(data, root) {
    this.data = data;
    this.steps = new Steps(root, data.steps.length, "step of backward", () => this.show());
    this.drawing = make("div", root, { class: "mg-graph-picture" });
    this.drawing.innerHTML = data.svg;
    make("p", root, { class: "mg-help" },
      "Left and right: one node back or on. Orange: the node whose turn it is. " +
      "Dark: nodes that are done.");
    this.steps.go(0);
  }

  show() {
    const { at } = this.steps;
    const now = this.data.steps[at];
    this.steps.say(now.caption);
    const come = new Map(this.data.steps.slice(0, at + 1).map((s) => [`${s.node}`, s.grad]));
    for (const text of this.drawing.querySelectorAll(".mg-come")) {
      text.textContent = come.get(text.parentNode.dataset.node) || "";
    }
    const done = new Set(this.data.steps.slice(0, at).map((s) => `${s.node}`));
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
