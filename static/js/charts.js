// Draws every element with data-chart="<id of a JSON script holding a Vega-Lite specification>".
// Needs vega, vega-lite and vega-embed on the page. Expressions are interpreted (`ast`), so that the
// content policy needs no unsafe-eval; colours and type come from the tokens of the stylesheet.
// Buttons with data-save below a chart save it as it is seen, as SVG or PNG; a button with
// data-picture="<address of an SVG>" saves that one as PNG.

const SHARPNESS = 2; // pixels of a PNG for one of the screen
const PANEL_MARGIN = 40; // pixels beside a panel
const views = new WeakMap();
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function theme() {
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue(name).trim();
  const series = [1, 2, 3, 4, 5].map((number) => token(`--series-${number}`));
  const text = { labelColor: token("--ink-soft"), titleColor: token("--ink-soft") };
  const type = { labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 };
  return {
    // The element around the chart carries its description, and its table follows.
    aria: false,
    background: "transparent",
    font: token("--font"),
    range: { category: series },
    mark: { color: series[0] },
    view: { stroke: null },
    axis: {
      ...text,
      ...type,
      gridColor: token("--line"),
      domainColor: token("--line-strong"),
      tickColor: token("--line-strong"),
      titlePadding: 10,
      labelSeparation: 6,
    },
    legend: { ...text, ...type },
    rule: { color: token("--ink-faint") },
    text: { color: token("--ink-soft"), font: token("--font") },
    style: { shade: { color: token("--sunken") } },
  };
}

async function draw(target) {
  const source = document.getElementById(target.dataset.chart);
  target.style.minHeight = `${target.offsetHeight}px`; // empty for a moment, it keeps its room
  const drawn = await window.vegaEmbed(target, fitting(JSON.parse(source.textContent), target), {
    actions: false,
    ast: true,
    config: theme(),
    defaultStyle: false,
    renderer: "svg",
    tooltip: false,
  });
  // Vega gives some marks a role whatever `aria` says; the description is on the element around them.
  target.querySelector("svg")?.setAttribute("aria-hidden", "true");
  if (target.scrollWidth > target.clientWidth) target.tabIndex = 0; // arrow keys scroll it
  views.set(target, drawn.view);
  for (const button of target.parentElement.querySelectorAll("[data-save]")) {
    button.disabled = false;
    button.onclick = () => saveChart(target, button.dataset.save);
  }
}

// Small panels stand beside each other as far as there is room.
function fitting(spec, target) {
  if (!spec.columns) return spec;
  const room = Math.floor(target.clientWidth / (spec.spec.width + PANEL_MARGIN));
  return { ...spec, columns: Math.max(1, room) };
}

async function saveChart(target, kind) {
  const view = views.get(target);
  view.background(paper()); // of its own: nobody knows where the picture will stand
  const address = await view.toImageURL(kind, SHARPNESS);
  view.background("transparent");
  save(address, `${target.dataset.chart.replace(/-spec$/, "")}.${kind}`);
}

async function savePicture(address) {
  const answer = await fetch(address);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(await answer.text())}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SHARPNESS * image.naturalWidth;
  canvas.height = SHARPNESS * image.naturalHeight;
  const pen = canvas.getContext("2d");
  pen.fillStyle = paper();
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  save(canvas.toDataURL("image/png"), address.split("/").pop().replace(/svg$/, "png"));
}

function paper() {
  return getComputedStyle(document.documentElement).getPropertyValue("--surface").trim();
}

function save(address, name) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

function drawAll(root = document) {
  root.querySelectorAll("[data-chart]").forEach(draw);
  root.querySelectorAll("[data-picture]").forEach((button) => {
    button.hidden = false;
    button.onclick = () => savePicture(button.dataset.picture);
  });
}

drawAll();
document.addEventListener("htmx:afterSettle", (event) => drawAll(event.detail.elt));
dark.addEventListener("change", () => drawAll());
