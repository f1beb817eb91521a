// Buttons that copy the field beside them, or every link of the page.

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = button.previousElementSibling;
  offer(
    button,
    () => field.value,
    () => field.select(),
  );
}
for (const button of document.querySelectorAll("[data-copy-all]")) offer(button, everyLink);

/** A line for each person: name, tab, link. Spreadsheets and mails take it as it is. */
function everyLink() {
  const fields = document.querySelectorAll("tbody .link-copy input");
  return [...fields].map((field) => `${field.dataset.name}\t${field.value}`).join("\n");
}

function offer(button, text, otherwise = () => {}) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await write(text());
      button.textContent = button.dataset.copied ?? "Copied";
      setTimeout(() => (button.textContent = label), 2000);
    } catch {
      otherwise();
    }
  });
}

/** Browsers keep the clipboard to https; over plain http, as in the demo on a phone, the old way works. */
async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("The browser does not copy.");
}
