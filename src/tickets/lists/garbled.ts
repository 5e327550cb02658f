/** Replaced characters, and controls that a one-byte encoding has where another has letters. */
const LOST = /[\ufffd\u0080-\u009f]/u;
/**
 * UTF-8 that was read as Windows-1252: `JÃ¶rg`, `â€™`, and Greek or Cyrillic letters in pairs. The second sets are what the bytes 0x80
 * to 0xBF look like then.
 */
const UTF8_AS_WINDOWS =
  /[ÂÃ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|[ÄÅ][\u0080-\u009f\u00a1-\u00bf€ƒ†‡ˆ‰Š‹ŒŽ˜™š›œžŸ]|â€.|[ÎÏÐÑ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ][ÎÏÐÑ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/u;
/** CP850 and MacRoman that were read as Windows-1252: signs, and capital letters that no word has inside. */
const SIGN_IN_WORD = /\p{L}[„”‚™§¬¢†‡‰‹›¤]\p{L}|\p{Ll}[ŠŽŸŒ]\p{Ll}|\p{Lu}Ÿ\p{Ll}/u;

/** Whether a text was read, or saved, in another encoding than its own. Not every such text shows it. */
export function looksGarbled(text: string): boolean {
  return LOST.test(text) || UTF8_AS_WINDOWS.test(text) || SIGN_IN_WORD.test(text);
}
