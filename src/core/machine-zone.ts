/** The time zone of this machine, or of the browser. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
