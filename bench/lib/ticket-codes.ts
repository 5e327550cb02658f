const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
let serial = 0;

/** Another code of the length and the characters of a TS1 code every time. */
export function nextCode(): string {
  serial += 1;
  const digit = (place: number) => ALPHABET[(serial * 7919 + place * place * 31) % 36];
  const text = Array.from({ length: 42 }, (_, place) => digit(place)).join('');
  return `TS1.tkt_abc123_${text.slice(0, 20)}.${text.slice(20)}`;
}
