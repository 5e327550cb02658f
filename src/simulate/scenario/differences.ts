/** The differences of `seen` from `wanted`; members that `wanted` lacks are ignored. */
export function differences(
  wanted: Readonly<Record<string, unknown>>,
  seen: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(wanted)
    .filter(([name, value]) => value !== undefined && value !== seen[name])
    .map(([name, value]) => `${name} is ${shown(seen[name])}, expected ${shown(value)}`);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
