// The table of submissions: select all, and how many are selected.

const form = document.querySelector("[data-review]");

if (form) {
  const boxes = [...form.querySelectorAll("[name=submission]")];
  const all = form.querySelector("[data-select-all] input");
  const selected = form.querySelector("[data-selected]");
  const everybody = form.querySelector("[name=everybody]");

  function count() {
    const number = boxes.filter((box) => box.checked).length;
    all.checked = number === boxes.length;
    all.indeterminate = number > 0 && !all.checked;
    selected.textContent = everybody?.checked ? "" : `${number} selected`;
  }

  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    count();
  });
  form.addEventListener("change", count);
  count();
}
