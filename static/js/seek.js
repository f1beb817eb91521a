// Every element with data-seek="<milliseconds>" shows that moment of the page's data-seekable video.

const video = document.querySelector("[data-seekable]");

document.addEventListener("click", (event) => {
  const frame = event.target.closest("[data-seek]");
  if (!frame || !video) return;
  video.pause();
  video.currentTime = Number(frame.dataset.seek) / 1000;
  video.scrollIntoView({ block: "nearest" });
});
