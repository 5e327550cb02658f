/** The words of a command line, written as one types it. What is filled in stays one word or a part of one; a list stays words. */
export function words(
  texts: TemplateStringsArray,
  ...filled: readonly (string | readonly string[])[]
): string[] {
  const given: string[] = [];
  const line = texts
    .map((text, at) => {
      const values = filled.slice(at, at + 1).flat();
      return `${text}${values.map((value) => `\0${given.push(value) - 1}\0`).join(' ')}`;
    })
    .join('');
  const list = line.split(/\s+/).filter((word) => word !== '');
  return list.map((word) => word.replaceAll(/\0(\d+)\0/g, (_, at) => given[Number(at)] ?? ''));
}
