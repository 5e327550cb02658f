import { escapeMarkup } from '../../../kit/markup.ts';

/** Text with `code` in backticks. */
export function prose(text: string): string {
  return escapeMarkup(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** A name that an address after # can have. */
export function anchor(...parts: string[]): string {
  return parts
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
