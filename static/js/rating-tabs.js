/* One tab at a time: a second one is told, and may take over. */

/**
 * Hold the work for this tab. Resolves to true when nobody else has it, or `takeOver` asks for it
 * all the same; `onLost` is called when another tab takes it from us.
 */
export function holdTab(name, { takeOver, onLost }) {
  // Only over https (and on this machine) do browsers have locks; the server keeps order anyway.
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks
      .request(`rating:${name}`, takeOver ? { steal: true } : { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock && new Promise(() => {}); // held until the tab closes
      })
      .catch(onLost);
  });
}
