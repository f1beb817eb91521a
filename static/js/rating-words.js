/* What the script says, in the annotator's language: the page brings the sentences. */

const words = JSON.parse(document.getElementById("words").textContent);

/** The sentence of that name, with what stands in braces filled in. */
export function say(name, values = {}) {
  return words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
}
