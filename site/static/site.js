// Widgets without a kernel, and a whole chapter on paper.

const here = document.currentScript.src.replace(/[^/]*$/, "");
globalThis.minigradWidgets = { explorer: { render: showExplorer } };

addEventListener("DOMContentLoaded", async () => {
  nameSidebar();
  const button = document.querySelector(".print-chapter");
  if (button && location.protocol !== "file:") offerPrint(button);
  for (const place of document.querySelectorAll(".minigrad-widget")) {
    await showWidget(place);
  }
});

// The theme's sidebar gets the names that a screen reader says.
function nameSidebar() {
  document.querySelector("#pst-primary-sidebar").setAttribute("role", "navigation");
  for (const summary of document.querySelectorAll(".bd-links summary")) {
    const link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", link.textContent);
  }
}

// ---------------------------------------------------------------- widgets

// A widget asks its model for data, and for nothing else: all of it is in the page.
async function showWidget(place) {
  const { widget } = place.dataset;
  const data = JSON.parse(place.querySelector("script").textContent);
  if (!(widget in minigradWidgets)) await load(`${here}widget-${widget}.js`);
  minigradWidgets[widget].render({ model: { get: (key) => data[key] }, el: place });
}

function load(src) {
  return new Promise((onload, onerror) => {
    const script = document.createElement("script");
    document.head.append(Object.assign(script, { src, onload, onerror }));
  });
}

// Sliders over the picture below them. There's a picture for every index, and for each
// other slider moved alone; anything else goes back to the beginning first.
function showExplorer({ model, el }) {
  const [names, ends, first, shown] = ["names", "ends", "first", "shown"].map(model.get);
  const picture = el.closest(".cell_output").querySelector("img");
  let values = [...first];
  const root = document.createElement("div");
  root.className = "mg-steps mg-explorer";
  const dims = (first.length - 1) / 3;
  const rows = [...Array(dims).keys()].map((d) => [d, dims + d, 2 * dims + d]);
  const sliders = [];
  for (const row of [...rows, [3 * dims]]) {
    const line = document.createElement("div");
    for (const at of row) {
      const label = document.createElement("label");
      label.innerHTML = "<span></span><input type=range><output></output>";
      const [name, slider] = label.children;
      name.textContent = names[at];
      slider.setAttribute("aria-label", at < dims || row.length === 1
        ? names[at] : `${names[at]} of ${names[at % dims]}`);
      [slider.min, slider.max] = ends[at];
      slider.oninput = () => move(at, Number(slider.value));
      sliders[at] = slider;
      line.append(label);
    }
    root.append(line);
  }
  el.append(root);

  function move(at, value) {
    const moved = (from) => from.map((v, i) => (i === at ? value : v));
    values = moved(values) in shown ? moved(values) : moved(first);
    show();
  }

  function show() {
    sliders.forEach((slider, at) => {
      slider.value = values[at];
      slider.nextElementSibling.textContent = values[at];
    });
    const [file, words] = shown[values];
    picture.src = here + file;
    picture.alt = words;
  }

  show();
}

// ---------------------------------------------------------------- paper

// Paper is light, nothing is folded on it, and a still picture stands in for a widget.
const { dataset } = document.documentElement;
let folded = [];
let theme;
addEventListener("beforeprint", () => {
  theme = dataset.theme;
  dataset.theme = "light";
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
  for (const style of document.querySelectorAll(".minigrad-widget style")) {
    style.media = "screen";
  }
});
addEventListener("afterprint", () => {
  dataset.theme = theme;
  for (const one of folded) one.open = false;
  for (const page of document.querySelectorAll(".printed-page")) page.remove();
});

// A button that prints a chapter's pages, one after the other.
function offerPrint(button) {
  button.hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    await Promise.all((await fetchPages(button)).map((image) => image.decode()));
    button.disabled = false;
    print();
  };
}

// Add the pages to this one, where only paper shows them; return their images.
async function fetchPages(button) {
  const main = document.querySelector("article");
  for (const address of button.dataset.pages.split(" ")) {
    const text = await (await fetch(address)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const article = page.querySelector("article");
    article.className = "printed-page";
    for (const one of article.querySelectorAll("[id]")) one.removeAttribute("id");
    for (const one of article.querySelectorAll(".minigrad-widget")) one.remove();
    main.append(article);
  }
  return [...main.querySelectorAll(".printed-page img")];
}
