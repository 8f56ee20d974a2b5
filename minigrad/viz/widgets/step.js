// One block of a launch, statement by statement. All data comes at once: the slider
// asks nothing of Python, so it also works where no kernel runs.

export default { render };

const MOST_CELLS = 1100; // of a shared array
const WARP = 32;

function render({ model, el }) {
  new Stepper(...begin(model, el, "mg-step"));
}

class Stepper {
  constructor(data, root) {
    this.data = data;
    this.root = root;
    this.thread = 0;
    this.variable = null; // whose values stand in the cells; null: thread numbers
    this.steps = new Steps(root, data.steps.length, "statement", () => this.go());
    onKeys(root, {
      ArrowUp: () => this.choose(this.thread - 1),
      ArrowDown: () => this.choose(this.thread + 1),
    });
    const main = make("div", this.root, { class: "mg-main" });
    this.source(main);
    this.table = make("table", main, { class: "mg-values" });
    this.threads();
    this.shared = make("div", this.root, { class: "mg-shared" });
    const after = make("div", this.root, { class: "mg-after" });
    for (const [name, [old, values, shape]] of Object.entries(data.after)) {
      make("div", after, { class: "mg-name" }, `${name}, when the block is done`);
      this.array(after, this.list_of(values, shape), this.list_of(old, shape), shape);
    }
    make("p", this.root, { class: "mg-help" },
      "Left and right: one statement back or on. Up and down: another thread. " +
      "Click a variable to see it in every thread. In shared memory, ? is what " +
      `nobody has written yet.${data.note}`);
    this.steps.go(0);
  }

  source(parent) {
    const list = make("ol", parent, {
      class: "mg-source", "aria-label": "source", tabindex: 0,
    });
    this.lines = this.data.source.map((text) => make("li", list, {}, text || " "));
    this.list = list;
  }

  threads() {
    const box = make("div", this.root, { class: "mg-threads" });
    this.cells = this.data.names.map((name, number) => {
      if (number % WARP === 0) {
        make("span", box, { class: "mg-warp" }, `warp ${number / WARP}`);
      }
      const cell = make("span", box, { class: "mg-cell" }, name);
      cell.onmouseenter = () => this.choose(number);
      cell.onclick = () => this.choose(number);
      return cell;
    });
  }

  choose(thread) {
    this.thread = Math.min(Math.max(thread, 0), this.cells.length - 1);
    this.show();
  }

  go() {
    this.show();
    this.showShared();
    const line = this.lines[this.step().line - 1];
    const { offsetTop, offsetHeight } = line;
    this.list.scrollTop = offsetTop + offsetHeight / 2 - this.list.clientHeight / 2;
  }

  step() {
    return this.data.steps[this.steps.at];
  }

  before() {
    return this.data.steps[Math.max(this.steps.at - 1, 0)];
  }

  value(index, thread) {
    const values = this.data.pool[index];
    return Array.isArray(values) ? values[thread] : values;
  }

  show() {
    const step = this.step();
    const active = this.data.pool[step.active];
    const on = [...active].filter((c) => c === "1").length;
    this.steps.say(`statement ${this.steps.at + 1} of ${this.data.steps.length}, ` +
      `line ${step.line}: ${on} of ${active.length} threads`);
    this.lines.forEach((line, number) => {
      line.classList.toggle("mg-now", number + 1 === step.line);
      if (number + 1 === step.line) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    const shown = this.variable in step.values ? step.values[this.variable] : null;
    this.cells.forEach((cell, number) => {
      cell.classList.toggle("mg-active", active[number] === "1");
      cell.classList.toggle("mg-chosen", number === this.thread);
      const name = this.data.names[number];
      cell.textContent = shown === null ? name : this.value(shown, number);
      cell.title = this.hover(step, number, name);
    });
    this.showValues(step);
  }

  hover(step, number, name) {
    const values = Object.entries(step.values);
    const texts = values.map(([v, index]) => `${v} = ${this.value(index, number)}`);
    return [`thread ${name}`, ...texts].join("\n");
  }

  showValues(step) {
    this.table.replaceChildren();
    const head = make("tr", this.table);
    const name = this.data.names[this.thread];
    for (const text of ["variable", `thread ${name}`, "all threads"]) {
      make("th", head, { scope: "col" }, text);
    }
    const before = this.before().values;
    for (const [variable, index] of Object.entries(step.values)) {
      const row = make("tr", this.table);
      row.classList.toggle("mg-changed", before[variable] !== index);
      const cell = make("th", row, { scope: "row" });
      const pressed = variable === this.variable;
      const button = make("button", cell, { type: "button", "aria-pressed": pressed },
        variable);
      button.onclick = () => {
        this.variable = pressed ? null : variable;
        this.show();
      };
      make("td", row, {}, this.value(index, this.thread));
      make("td", row, {}, span(this.data.pool[index]));
    }
  }

  showShared() {
    this.shared.replaceChildren();
    const step = this.step();
    const before = this.before().shared;
    for (const [name, index] of Object.entries(step.shared)) {
      const shape = this.data.shapes[name];
      make("div", this.shared, { class: "mg-name" },
        `${name}[${shape.join("][")}], shared memory`);
      const old = this.list_of(before[name], shape);
      this.array(this.shared, this.list_of(index, shape), old, shape);
    }
  }

  list_of(index, shape) {
    const values = this.data.pool[index];
    const size = shape.reduce((a, b) => a * b, 1);
    return Array.isArray(values) ? values : Array(size).fill(values);
  }

  array(parent, values, old, shape) {
    const flat = shape.length === 1; // element t below lane t
    const look = flat ? "mg-array mg-lanes" : "mg-array";
    const grid = make("div", parent, { class: look, tabindex: 0 });
    if (!flat) {
      grid.style.gridTemplateColumns = `repeat(${shape.at(-1)}, minmax(2.2em, 1fr))`;
    }
    values.slice(0, MOST_CELLS).forEach((value, number) => {
      if (flat && number % WARP === 0) {
        make("span", grid, { class: "mg-warp" }, `[${number}]`);
      }
      const cell = make("span", grid, { class: "mg-cell" }, value);
      cell.title = `[${places(number, shape).join("][")}] = ${value}`;
      cell.classList.toggle("mg-changed", value !== old[number]);
    });
    const left = values.length - MOST_CELLS;
    if (left > 0) make("div", parent, {}, `and ${left} more elements`);
  }
}

// The indices of an element by its number.
function places(number, shape) {
  const found = [];
  for (const size of [...shape].reverse()) {
    found.unshift(number % size);
    number = Math.floor(number / size);
  }
  return found;
}

// A variable over all threads in few words.
function span(values) {
  if (!Array.isArray(values)) return "the same";
  const numbers = values.filter((v) => typeof v === "number");
  if (numbers.length < values.length) return "different";
  return `${Math.min(...numbers)} \u2026 ${Math.max(...numbers)}`;
}
