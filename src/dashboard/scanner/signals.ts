import type { Signal } from './scan-queue.ts';

/** Frequencies in Hz, one after another: high for good, low and rough for bad. */
const MELODIES: Record<Signal, readonly number[]> = {
  good: [880, 1320],
  bad: [180, 180],
  unknown: [440, 330, 440],
  checked: [660],
  uncounted: [440, 440],
};
const VIBRATIONS_MS: Record<Signal, number[]> = {
  good: [60],
  bad: [200, 80, 200],
  unknown: [100, 80, 100, 80, 100],
  checked: [30, 60, 30],
  uncounted: [100, 80, 100],
};
const TONE_S = 0.14;
const LOUDNESS = 0.25;

let context: AudioContext | undefined;

/** Lets hear (and on a phone, feel) how a scan ended, without looking. Silent where the browser allows no sound. */
export function playSignal(signal: Signal): void {
  navigator.vibrate?.(VIBRATIONS_MS[signal]);
  context ??= new AudioContext();
  void context.resume().catch(() => undefined);
  for (const [index, frequency] of MELODIES[signal].entries()) {
    playTone(context, frequency, context.currentTime + index * TONE_S, signal === 'bad');
  }
}

function playTone(on: AudioContext, frequency: number, at: number, rough: boolean): void {
  const tone = new OscillatorNode(on, { frequency, type: rough ? 'sawtooth' : 'sine' });
  const volume = new GainNode(on, { gain: LOUDNESS });
  volume.gain.setTargetAtTime(0, at + TONE_S * 0.6, TONE_S / 8);
  tone.connect(volume).connect(on.destination);
  tone.start(at);
  tone.stop(at + TONE_S);
}
