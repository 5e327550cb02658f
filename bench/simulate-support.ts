import { type ChildProcess, fork } from 'node:child_process';

/** The empty server in a process of its own; ends with this one. */
export async function startEmptyServer(): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(new URL('./simulate-empty-server.ts', import.meta.url), { silent: true });
  const port = await new Promise<string>((resolve) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  return { url: `http://127.0.0.1:${port}`, child };
}

export const CODE = 'TS1.tkt_abc123_0123456789abcdefghij.AAECAwQFBgcICQoLDA0ODw';

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
