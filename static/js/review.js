// The table of submissions: select all, how many are selected, and only the fields an action needs.

const form = document.querySelector("[data-review]");

if (form) {
  const boxes = [...form.querySelectorAll("[name=submission]")];
  const offer = form.querySelector("[data-select-all]");
  const all = offer.querySelector("input");
  const selected = form.querySelector("[data-selected]");
  const action = form.querySelector("[name=action]");
  const everybody = form.querySelector("[name=everybody]");

  function count() {
    const number = boxes.filter((box) => box.checked).length;
    all.checked = number === boxes.length;
    all.indeterminate = number > 0 && !all.checked;
    selected.textContent = everybody?.checked ? "" : `${number} selected`;
  }

  function fields() {
    for (const part of form.querySelectorAll("[data-for]")) {
      part.hidden = !part.dataset.for.split(" ").includes(action.value);
    }
  }

  offer.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    count();
  });
  form.addEventListener("change", count);
  action.addEventListener("change", fields);
  count();
  fields();
}
