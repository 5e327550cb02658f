/**
 * The camera of the scan page, from the wish to scan with it until it is off.
 *
 *            start              pictures come
 *   off ───────────► starting ───────────────► on ◄────► muted (another program, a call)
 *    ▲                │  ▲  ▲                   │
 *    │ stop           │  │  └── page is seen ── hidden ◄── page is hidden, or left (from each state)
 *    │ (each state)   ▼  │
 *    └───────────── failed ◄── the camera ends
 *                        └── a device comes or goes, or the page is seen again: starting
 *
 * Each start has its own signal: whatever a start still waits for when the page is left, what it gets then is closed at once.
 */
import { openCamera } from './camera-choice.ts';
import { type CodeFinder, createCodeFinder } from './code-finder.ts';
import type { Sight } from './codes-in-picture.ts';
import { OneTicket } from './one-ticket.ts';
import { Sights, type SightsParts } from './sights.ts';

export type CameraProblem =
  | 'cameraRefused'
  | 'cameraNone'
  | 'cameraInUse'
  | 'cameraInsecure'
  | 'cameraFailed'
  | 'cameraEnded'
  | 'cameraMuted';

export type SetLight = (on: boolean) => Promise<void>;

export type CameraState =
  | { readonly step: 'off' | 'starting' | 'hidden' }
  /** Undefined where the camera has no lamp. */
  | { readonly step: 'on'; readonly setLight: SetLight | undefined; readonly cameraId: string }
  | { readonly step: 'muted'; readonly problem: CameraProblem }
  | { readonly step: 'failed'; readonly problem: CameraProblem };

interface CameraParts {
  readonly video: HTMLVideoElement;
  /** Called for each new sight of a code. @returns false when the code was not taken: its next sight is new again */
  readonly onCode: (code: string) => boolean;
  readonly onState: (state: CameraState) => void;
  readonly sights: SightsParts;
  /** Called when the pictures begin or cease to show several tickets, or something that cannot be read. */
  readonly onCrowd: (isCrowded: boolean) => void;
}

/** The time between two pictures; ten a second are enough and spare a phone's battery. */
const PICTURE_EVERY_MS = 100;

export class Camera {
  readonly #parts: CameraParts;
  #state: CameraState = { step: 'off' };
  /** Ends the current start and whatever came of it. */
  #run = new AbortController();

  constructor(parts: CameraParts) {
    this.#parts = parts;
  }

  start(): void {
    if (document.hidden) this.#tell({ step: 'hidden' });
    else void this.#open();
  }

  stop(): void {
    this.#run.abort();
    this.#tell({ step: 'off' });
  }

  /** Follows the page until the signal ends: the camera is off while nobody sees the page, and on again afterwards. */
  follow(signal: AbortSignal): void {
    const hide = () => {
      if (this.#state.step === 'off') return;
      this.#run.abort();
      this.#tell({ step: 'hidden' });
    };
    const show = () => {
      const { step } = this.#state;
      if (!document.hidden && (step === 'hidden' || step === 'failed')) void this.#open();
    };
    document.addEventListener('visibilitychange', () => (document.hidden ? hide() : show()), {
      signal,
    });
    window.addEventListener('pagehide', hide, { signal });
    window.addEventListener('pageshow', show, { signal });
    navigator.mediaDevices?.addEventListener?.('devicechange', show, { signal });
    signal.addEventListener('abort', () => this.stop());
  }

  async #open(): Promise<void> {
    this.#run.abort();
    const run = new AbortController();
    this.#run = run;
    this.#tell({ step: 'starting' });
    try {
      await this.#film(run.signal);
    } catch (error) {
      if (run.signal.aborted) return;
      run.abort();
      this.#tell({ step: 'failed', problem: problemOf(error) });
    }
  }

  async #film(signal: AbortSignal): Promise<void> {
    const { video } = this.#parts;
    if (!navigator.mediaDevices) throw new CameraFailure('cameraInsecure');
    const stream = await openCamera();
    onEnd(signal, () => {
      for (const track of stream.getTracks()) track.stop();
      if (video.srcObject === stream) video.srcObject = null;
    });
    if (signal.aborted) return;
    const finder = await createCodeFinder();
    onEnd(signal, finder.close);
    if (signal.aborted) return;
    video.srcObject = stream;
    await video.play();
    if (signal.aborted) return;
    const [track] = stream.getVideoTracks();
    if (!track) throw new CameraFailure('cameraNone');
    this.#watch(track, signal);
    keepScreenOn(signal);
    void this.#look(finder, track, signal);
  }

  /** Tells when the track gives no pictures any more, or for a while. A track that the page stops itself says nothing. */
  #watch(track: MediaStreamTrack, signal: AbortSignal): void {
    const ended = () => {
      this.#run.abort();
      this.#tell({ step: 'failed', problem: 'cameraEnded' });
    };
    const tell = () => {
      if (track.muted) this.#tell({ step: 'muted', problem: 'cameraMuted' });
      else this.#tell({ step: 'on', setLight: lightOf(track), cameraId: idOf(track) });
    };
    track.addEventListener('ended', ended, { signal });
    track.addEventListener('mute', tell, { signal });
    track.addEventListener('unmute', tell, { signal });
    if (track.readyState === 'ended') ended();
    else tell();
  }

  /** Looks at one picture after the other; one that is not new, or could not be read, counts as not looked at. */
  async #look(finder: CodeFinder, track: MediaStreamTrack, signal: AbortSignal): Promise<void> {
    const { video } = this.#parts;
    const sights = new Sights(this.#parts.sights);
    onEnd(signal, () => sights.keep());
    const oneTicket = new OneTicket();
    onEnd(signal, () => this.#parts.onCrowd(false));
    let lastTime = -1;
    while (!signal.aborted) {
      const { currentTime } = video;
      const isNew = currentTime !== lastTime && !track.muted;
      const sight = isNew ? await finder.find(video).catch(() => undefined) : undefined;
      if (signal.aborted) return;
      if (sight) {
        lastTime = currentTime;
        this.#give(sight, sights, oneTicket);
      }
      await new Promise((resolve) => setTimeout(resolve, PICTURE_EVERY_MS));
    }
  }

  #give(sight: Sight, sights: Sights, oneTicket: OneTicket): void {
    const now = performance.now();
    const { code, isCrowded } = oneTicket.look(sight, now);
    this.#parts.onCrowd(isCrowded);
    if (code === undefined) {
      sights.lookPast(sight.codes, now, sight.isUnread);
      return;
    }
    for (const fresh of sights.look([code], now, sight.isUnread)) {
      if (!this.#parts.onCode(fresh)) sights.forget(fresh);
    }
  }

  #tell(state: CameraState): void {
    this.#state = state;
    this.#parts.onState(state);
  }
}

/** Runs when the signal ends, or at once when it has. */
function onEnd(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

class CameraFailure extends Error {
  readonly problem: CameraProblem;

  constructor(problem: CameraProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** What `getUserMedia` says of a camera that it does not give. */
const PROBLEMS: Readonly<Record<string, CameraProblem>> = {
  NotAllowedError: 'cameraRefused',
  SecurityError: 'cameraRefused',
  NotFoundError: 'cameraNone',
  OverconstrainedError: 'cameraNone',
  NotReadableError: 'cameraInUse',
  AbortError: 'cameraInUse',
};

export function problemOf(error: unknown): CameraProblem {
  if (error instanceof CameraFailure) return error.problem;
  const name = error instanceof Error ? error.name : '';
  return PROBLEMS[name] ?? 'cameraFailed';
}

function idOf(track: MediaStreamTrack): string {
  return track.getSettings().deviceId ?? '';
}

function lightOf(track: MediaStreamTrack): SetLight | undefined {
  const { torch } = (track.getCapabilities?.() ?? {}) as { torch?: boolean };
  if (!torch) return undefined;
  return (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
}

/** Keeps the screen from going dark until the signal ends, where the browser can. */
function keepScreenOn(signal: AbortSignal): void {
  void navigator.wakeLock?.request('screen').then(
    (lock) => onEnd(signal, () => void lock.release().catch(() => undefined)),
    // A phone that saves its battery refuses.
    () => undefined,
  );
}
