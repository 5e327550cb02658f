/** As much of a text as fits, with `…` where the rest is missing. Half of a character, which no report can hold, becomes `�`. */
export function cutText(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`;
}
