/** Replaced characters, and controls that a one-byte encoding has where another has letters. */
const LOST = /[\ufffd\u0080-\u009f]/u;
/**
 * UTF-8 that was read as Windows-1252: `JÃ¶rg`, `â€™`, and Greek or Cyrillic letters in pairs. The second sets are what the bytes 0x80
 * to 0xBF look like then.
 */
const UTF8_AS_WINDOWS =
  /[ÂÃ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|[ÄÅ][\u0080-\u009f\u00a1-\u00bf€ƒ†‡ˆ‰Š‹ŒŽ˜™š›œžŸ]|â€.|[ÎÏÐÑ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ][ÎÏÐÑ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/u;
/** CP850, CP1250 and MacRoman that were read as Windows-1252: signs, and capital letters that no word has inside. */
const SIGN_IN_WORD =
  /\p{L}[„”‚™§¬¢†‡‰‹›¤£¥¶¹³¦¯¿¼½¾€]\p{L}|\p{Ll}[ªº]\p{Ll}|\p{Ll}[ŠŽŸŒ]\p{Ll}|\p{Lu}Ÿ\p{Ll}/u;
/** The same at the beginning and the end of a word: `£ukasz`, `Wei§`, `Micha³`; not `§ 5`, `£20`, `m³` and `50 m³`. */
const SIGN_AT_WORD = /(?<![\p{L}\d])[§¬¤£¥¶³¦¯]\p{Ll}|\p{L}{2}[§¶¤³](?![\p{L}\d])/u;

/** Whether a text was read, or saved, in another encoding than its own. Not every such text shows it. */
export function looksGarbled(text: string): boolean {
  return [LOST, UTF8_AS_WINDOWS, SIGN_IN_WORD, SIGN_AT_WORD].some((one) => one.test(text));
}
