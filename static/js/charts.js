// Draws every element with data-chart="<id of a JSON script holding a Vega-Lite specification>".
// Needs vega, vega-lite and vega-embed on the page. Expressions are interpreted (`ast`), so that the
// content policy needs no unsafe-eval; colours and type come from the tokens of the stylesheet.

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
  };
}

async function draw(target) {
  const source = document.getElementById(target.dataset.chart);
  await window.vegaEmbed(target, JSON.parse(source.textContent), {
    actions: false,
    ast: true,
    config: theme(),
    defaultStyle: false,
    renderer: "svg",
    tooltip: false,
  });
  // Vega gives some marks a role whatever `aria` says; the description is on the element around them.
  target.querySelector("svg")?.setAttribute("aria-hidden", "true");
}

function drawAll(root = document) {
  root.querySelectorAll("[data-chart]").forEach(draw);
}

drawAll();
document.addEventListener("htmx:afterSettle", (event) => drawAll(event.detail.elt));
dark.addEventListener("change", () => drawAll());
