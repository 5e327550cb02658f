const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text for XML and HTML. Most control characters have no place there, not even escaped; they are replaced. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
