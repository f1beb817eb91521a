/* The video that is watched and the one after it, which is fetched meanwhile; or an image, which is
 * seen once it has loaded. */

const RETRY_MS = [1000, 2000, 4000, 8000, 15000];
const FAILURES_BEFORE_WAY_OUT = 3;

export class Player {
  #active;
  #standby;
  #image;
  #root;
  #failures = 0;
  #playingSince = null;
  #retry;
  #state = "idle";

  /** `onState` hears "idle", "playing" or "ended", `onTime` the share of the video that has
   * gone by, `onFailure` whether it fails for good. */
  constructor(root, { onState, onTime, onWatched, onFailure }) {
    const videos = root.querySelectorAll(".screen video");
    [this.#active, this.#standby] = videos;
    this.#image = root.querySelector(".screen img");
    this.#root = root;
    Object.assign(this, { onState, onTime, onWatched, onFailure });
    for (const video of videos) this.#listen(video);
    this.#image.addEventListener("load", () => this.#seen());
    this.#image.addEventListener("error", () => this.#fail());
  }

  /** Put a video or an image on the screen; what was prefetched is there at once. */
  show(url, { autoplay, isImage }) {
    clearTimeout(this.#retry);
    this.#active.pause();
    this.#root.toggleAttribute("data-image", Boolean(isImage));
    this.#image.hidden = !isImage;
    if (isImage) this.#showImage(url);
    else this.#showVideo(url);
    this.#failures = 0;
    this.#playingSince = null;
    Object.assign(this, { plays: 0, watchedMs: 0, isWatched: false });
    this.#say("idle");
    this.onTime(0);
    if (autoplay && !isImage) this.#play();
  }

  #showImage(url) {
    this.#active.hidden = this.#standby.hidden = true;
    for (const video of [this.#active, this.#standby]) video.removeAttribute("src");
    this.#image.src = url;
  }

  #showVideo(url) {
    this.#image.removeAttribute("src");
    if (this.#standby.getAttribute("src") === url && !this.#standby.error) {
      [this.#active, this.#standby] = [this.#standby, this.#active];
      this.#standby.removeAttribute("src");
      this.#standby.load();
    } else if (this.#active.getAttribute("src") !== url || this.#active.error) {
      this.#active.src = url;
    } else {
      this.#active.currentTime = 0;
    }
    this.#active.hidden = false;
    this.#standby.hidden = true;
  }

  /** Go to a share of the video. */
  seek(share) {
    if (this.#active.duration > 0) this.#active.currentTime = share * this.#active.duration;
  }

  /** How fast, and whether with sound: kept from caption to caption. */
  set(wish) {
    for (const video of [this.#active, this.#standby]) Object.assign(video, wish);
  }

  prefetch(url, isImage) {
    if (isImage) new Image().src = url;
    else if (this.#standby.getAttribute("src") !== url) this.#standby.src = url;
  }

  pause() {
    this.#active.pause();
  }

  /** What the button says it does, also in the moment before a video that starts by itself runs. */
  toggle() {
    if (!this.#image.hidden) return;
    if (this.#state === "playing") this.#active.pause();
    else this.#play();
  }

  /** Watched seconds up to now, replays included. */
  get watched() {
    const running = this.#playingSince === null ? 0 : performance.now() - this.#playingSince;
    return Math.round(this.watchedMs + running);
  }

  #say(state) {
    this.#state = state;
    this.onState(state);
  }

  #play() {
    // Refused where the browser wants a gesture first: the button is there.
    this.#active.play().catch(() => {});
  }

  #listen(video) {
    const on = (name, act) =>
      video.addEventListener(name, () => {
        if (video === this.#active) act(video);
      });
    on("play", () => {
      this.plays += 1;
      this.#say("playing");
    });
    on("playing", () => {
      this.#playingSince = performance.now();
      this.#failures = 0;
      this.onFailure(null);
    });
    for (const name of ["pause", "waiting", "ended", "error"]) on(name, () => this.#halt());
    on("pause", () => this.#say(video.ended ? "ended" : "idle"));
    on("ended", () => this.#say("ended"));
    for (const name of ["timeupdate", "pause", "ended"]) on(name, () => this.#check(video));
    on("timeupdate", () => this.onTime(video.currentTime / (video.duration || 1)));
    on("error", () => this.#fail());
  }

  #halt() {
    this.watchedMs = this.watched;
    this.#playingSince = null;
  }

  /** Counts the parts that were really played: jumping to the end shows no caption. */
  #check(video) {
    if (this.isWatched || !(video.duration > 0)) return;
    let seconds = 0;
    for (let i = 0; i < video.played.length; i++)
      seconds += video.played.end(i) - video.played.start(i);
    if (seconds < video.duration - 0.3 - 0.02 * video.duration) return;
    this.isWatched = true;
    this.onWatched();
  }

  /** An image is seen as soon as it is there. */
  #seen() {
    this.#failures = 0;
    this.onFailure(null);
    if (this.isWatched) return;
    this.isWatched = true;
    this.onWatched();
  }

  #again() {
    if (this.#image.hidden) this.#active.load();
    else this.#image.src = this.#image.getAttribute("src");
  }

  #fail() {
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
    this.#failures += 1;
    this.#say("idle");
    this.onFailure(this.#failures >= FAILURES_BEFORE_WAY_OUT ? "lasting" : "passing");
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#again(), wait);
  }
}
