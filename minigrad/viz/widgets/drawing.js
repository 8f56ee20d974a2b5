// A canvas to draw a digit on. What is drawn goes to Python after each stroke, and now
// and then during one; an image and ten probabilities come back.

export default { render };

const SIZE = 280; // of the canvas, in pixels of the page
const SENT = 70; // pixels a side that Python gets
const PEN = 20;
const EVERY = 200; // milliseconds between two messages while a stroke is drawn

function render({ model, el }) {
  const root = make("div", el, { class: "mg-drawing" });
  const left = make("div", root);
  const canvas = make("canvas", left, {
    width: SIZE, height: SIZE, role: "img", "aria-label": "draw a digit here",
  });
  const clear = make("button", make("div", left), { type: "button" }, "Clear");
  const right = make("div", root, { class: "mg-answer" });
  const caption = make("output", right, { "aria-live": "polite" }, "Draw a digit.");
  const main = make("div", right, { class: "mg-read" });
  const seen = make("canvas", main, {
    width: 28, height: 28, role: "img", "aria-label": "what the network gets",
  });
  const bars = make("div", main, { class: "mg-bars" });
  const rows = [...Array(10).keys()].map((digit) => {
    const row = make("div", bars);
    make("span", row, {}, digit);
    const track = make("i", row);
    return { row, bar: make("b", track), share: make("em", row) };
  });

  const page = canvas.getContext("2d", { willReadFrequently: true });
  let drawing = false;
  let sent = 0;

  function wipe() {
    page.fillStyle = "#ffffff";
    page.fillRect(0, 0, SIZE, SIZE);
  }

  function place(event) {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * SIZE / box.width,
            (event.clientY - box.top) * SIZE / box.height];
  }

  function send() {
    sent = Date.now();
    const pixels = page.getImageData(0, 0, SIZE, SIZE).data;
    const step = SIZE / SENT;
    let text = "";
    for (let y = 0; y < SENT; y++) {
      for (let x = 0; x < SENT; x++) {
        let sum = 0;
        for (let i = 0; i < step * step; i++) {
          const at = (y * step + Math.floor(i / step)) * SIZE + x * step + i % step;
          sum += 255 - pixels[4 * at];
        }
        text += String.fromCharCode(Math.round(sum / (step * step)));
      }
    }
    model.set("drawn", JSON.stringify({ width: SENT, ink: btoa(text) }));
    model.save_changes();
  }

  function line(event, first) {
    const [x, y] = place(event);
    if (first) {
      page.beginPath();
      page.moveTo(x, y);
    }
    page.lineTo(x, y);
    page.stroke();
    page.beginPath();
    page.moveTo(x, y);
  }

  page.lineWidth = PEN;
  page.lineCap = page.lineJoin = "round";
  page.strokeStyle = "#000000";
  canvas.addEventListener("pointerdown", (event) => {
    drawing = true;
    canvas.setPointerCapture(event.pointerId);
    line(event, true);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drawing) return;
    line(event, false);
    if (Date.now() - sent > EVERY) send();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, () => {
      if (drawing) send();
      drawing = false;
    });
  }
  clear.onclick = () => { wipe(); send(); };

  function answer() {
    if (!model.get("said")) return;
    const said = JSON.parse(model.get("said"));
    const best = said.shares.indexOf(Math.max(...said.shares));
    const read = `It is read as a ${best}, probability ${said.shares[best]?.toFixed(2)}.`;
    caption.textContent = said.error || (best < 0 ? "Draw a digit." : read);
    rows.forEach(({ row, bar, share }, digit) => {
      const part = said.shares[digit] || 0;
      row.className = digit === best ? "mg-best" : "";
      bar.style.width = `${100 * part}%`;
      share.textContent = said.shares.length ? part.toFixed(2) : "";
    });
    const context = seen.getContext("2d");
    const image = context.createImageData(28, 28);
    said.image.forEach((ink, i) => {
      image.data.set([255 - ink, 255 - ink, 255 - ink, 255], 4 * i);
    });
    context.putImageData(image, 0, 0);
  }

  wipe();
  answer();
  model.on("change:said", answer);
  return () => model.off("change:said", answer);
}
