// The annotator's page beside a campaign's settings: posted anew, unsaved, whenever they change.

const form = document.getElementById("settings");
const frame = document.querySelector("[data-preview]");
let waiting;

/** A form of its own, so that Save keeps posting to the page itself. */
function show() {
  const post = document.createElement("form");
  post.method = "post";
  post.action = frame.dataset.preview;
  post.target = frame.name;
  post.hidden = true;
  for (const [name, value] of values()) {
    const field = document.createElement("textarea");
    field.name = name;
    field.value = value;
    post.append(field);
  }
  document.body.append(post);
  post.submit();
  post.remove();
}

/** What the form would send; fields of a live campaign are disabled, and sent all the same. */
function values() {
  const fieldset = form.querySelector("fieldset");
  const wasDisabled = fieldset.disabled;
  fieldset.disabled = false;
  const data = new FormData(form);
  fieldset.disabled = wasDisabled;
  return data;
}

if (form && frame) {
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 400);
  };
  form.addEventListener("input", soon);
  for (const choice of document.querySelectorAll("[name=page]")) {
    choice.addEventListener("change", show);
  }
  show();
}
