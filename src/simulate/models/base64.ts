import type { Base64Variant } from './device-model.ts';

/** Base64 of the UTF-8 bytes of `text`, in one of the spellings that devices use. */
export function toBase64(text: string, variant: Base64Variant): string {
  const standard = Buffer.from(text, 'utf8').toString('base64');
  switch (variant) {
    case 'standard':
      return standard;
    case 'standard-unpadded':
      return standard.replaceAll('=', '');
    case 'url-safe':
      return standard.replaceAll('+', '-').replaceAll('/', '_');
    case 'url-safe-unpadded':
      return Buffer.from(text, 'utf8').toString('base64url');
  }
}

/** Damages Base64 as a bad line does: characters outside the alphabet, and an end that is missing. */
export function corruptBase64(base64: string): string {
  const middle = base64.length >> 1;
  return `${base64.slice(0, middle)}*#${base64.slice(middle + 2, -3)}`;
}
