/** True for an address that no other machine can reach. */
export function isOnlyHere(url: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}
