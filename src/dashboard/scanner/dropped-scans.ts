/** How many scans had no answer when the session of this tab ended: the sign-in tells it. No code and no name is kept. */
let dropped = 0;
const watchers = new Set<() => void>();

function set(count: number): void {
  dropped = count;
  for (const watcher of watchers) watcher();
}

export function noteDropped(count: number): void {
  if (count > 0) set(count);
}

/** Called when somebody is signed in, and has read it. */
export function forgetDropped(): void {
  if (dropped > 0) set(0);
}

export function droppedScans(): number {
  return dropped;
}

/** @returns what stops it */
export function watchDropped(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
