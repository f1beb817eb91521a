/* The video that is watched and the one after it, which is fetched meanwhile; or an image, which is
 * seen once it has loaded. Of a clip, only the seconds between its two times are there: the address
 * ends with them, so that browsers begin to load at the first and stop at the second. */

const RETRY_MS = [1000, 2000, 4000, 8000, 15000];
const FAILURES_BEFORE_WAY_OUT = 3;
const CLOSE = 0.05; // seconds before the end of a clip at which it has ended

const addressOf = (url, clip) => (clip ? `${url}#t=${clip.join(",")}` : url);

export class Player {
  #active;
  #standby;
  #image;
  #root;
  #failures = 0;
  #playingSince = null;
  #retry;
  #state = "idle";
  #clip = null; // from when to when, where not all of the video is shown

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
  show(url, { autoplay, isImage, clip }) {
    this.#clip = clip ?? null;
    clearTimeout(this.#retry);
    this.#active.pause();
    this.#root.toggleAttribute("data-image", Boolean(isImage));
    this.#image.hidden = !isImage;
    if (isImage) this.#showImage(url);
    else this.#showVideo(addressOf(url, clip));
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
      this.#active.currentTime = this.#start;
    }
    this.#active.hidden = false;
    this.#standby.hidden = true;
  }

  /** Go to a share of the video. */
  seek(share) {
    if (this.#length > 0) this.#active.currentTime = this.#start + share * this.#length;
  }

  get #start() {
    return this.#clip ? this.#clip[0] : 0;
  }

  /** Of what is shown; the file may end a little before the clip does. */
  get #end() {
    return this.#clip ? Math.min(this.#clip[1], this.#active.duration) : this.#active.duration;
  }

  get #length() {
    return this.#end - this.#start;
  }

  get #isOver() {
    return this.#active.ended || (this.#clip && this.#active.currentTime >= this.#end - CLOSE);
  }

  /** How fast, and whether with sound: kept from caption to caption. */
  set(wish) {
    for (const video of [this.#active, this.#standby]) Object.assign(video, wish);
  }

  prefetch(url, isImage, clip) {
    const address = addressOf(url, clip);
    if (isImage) new Image().src = url;
    else if (this.#standby.getAttribute("src") !== address) this.#standby.src = address;
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
    if (this.#clip && this.#isOver) this.#active.currentTime = this.#start;
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
    on("pause", () => this.#say(this.#isOver ? "ended" : "idle"));
    on("loadedmetadata", () => this.#enter(video));
    on("ended", () => this.#say("ended"));
    for (const name of ["timeupdate", "pause", "ended"]) on(name, () => this.#check(video));
    on("timeupdate", () => this.onTime((video.currentTime - this.#start) / (this.#length || 1)));
    on("timeupdate", () => this.#clip && this.#isOver && video.pause());
    on("error", () => this.#fail());
  }

  /** A browser that does not know of times in addresses is put at the first. */
  #enter(video) {
    if (video.currentTime < this.#start) video.currentTime = this.#start;
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
      seconds += Math.max(
        0,
        Math.min(video.played.end(i), this.#end) - Math.max(video.played.start(i), this.#start),
      );
    if (seconds < this.#length - 0.3 - 0.02 * this.#length) return;
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
