// Buttons that copy the field beside them, or every link of the page, where the browser lets us.

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    const field = button.previousElementSibling;
    button.addEventListener("click", () => copy(button, () => field.value, () => field.select()));
  }
  for (const button of document.querySelectorAll("[data-copy-all]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button, everyLink));
  }
}

/** A line for each person: name, tab, link. Spreadsheets and mails take it as it is. */
function everyLink() {
  const fields = document.querySelectorAll("tbody .link-copy input");
  return [...fields].map((field) => `${field.dataset.name}\t${field.value}`).join("\n");
}

async function copy(button, text, otherwise = () => {}) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text());
    button.textContent = button.dataset.copied ?? "Copied";
    setTimeout(() => (button.textContent = label), 2000);
  } catch {
    otherwise();
  }
}
