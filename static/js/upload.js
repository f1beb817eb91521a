// Shows how much of an archive has been sent. htmx sends it and reports its progress.

document.addEventListener("htmx:xhr:progress", (event) => {
  const box = event.target.querySelector("[data-upload-progress]");
  if (!box || !event.detail.lengthComputable) return;
  const share = event.detail.loaded / event.detail.total;
  box.hidden = false;
  box.querySelector("progress").value = share;
  box.querySelector("output").value = `${Math.round(100 * share)} %`;
});
