// Buttons that put the value of the field beside them on the clipboard, where the browser lets us.

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const field = button.previousElementSibling;
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  } catch {
    field.select();
  }
}
