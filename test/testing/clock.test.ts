import { describe, expect, test } from 'vitest';
import { ControlledClock, durationMs, timeMs } from '../../src/testing/clock.ts';
import { TestClock } from '../support/clock.ts';
import { fc } from '../support/fast-check.ts';
import { drive, WAYS } from './support/driven.ts';

describe.each(WAYS)('through the %s', (way) => {
  test('a window opens and closes with the clock', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const { code } = await service.mint({
      type: 'multi',
      uses: 5,
      validFrom: '2031-05-01T10:00:00Z',
      validUntil: new Date('2031-05-01T18:00:00Z'),
    });
    const outcome = async () => {
      const { json } = await gate.scan('validate', code);
      return json.reason ?? json.status;
    };
    await service.freezeClock('2031-05-01T09:59:59.999Z');
    expect(await outcome()).toBe('not_yet_valid');
    await service.advance(1);
    expect(await outcome()).toBe('validated');
    await service.advance('8h');
    expect(await outcome()).toBe('validated');
    await service.advance('1ms');
    expect(await outcome()).toBe('expired');
    await service.setClock(Date.UTC(2031, 4, 1, 12));
    expect(await outcome()).toBe('validated');
  });

  test('scannedAt is the time of the clock', async () => {
    await using gate = await drive(way);
    await gate.service.freezeClock('2040-02-29T12:00:00Z');
    const { json } = await gate.scan('consume', gate.service.ticket('single'));
    expect(json.scannedAt).toBe('2040-02-29T12:00:00.000Z');
  });

  test('the quota begins anew with the month of the clock', async () => {
    await using gate = await drive(way, { ticketsPerState: 1, limits: { quotaPerMonth: 3 } });
    const { service } = gate;
    const ticket = service.ticket('multi');
    await service.freezeClock('2031-01-31T23:59:59Z');
    for (const _turn of [1, 2, 3]) expect((await gate.scan('validate', ticket)).status).toBe(200);
    expect((await gate.scan('validate', ticket)).status).toBe(429);
    await service.advance('1s');
    expect((await gate.scan('validate', ticket)).status).toBe(200);
  });

  test('a bucket fills as the clock advances, and not while it stands', async () => {
    await using gate = await drive(way, { limits: { burst: 2, ratePerSecond: 0.01 } });
    const { service } = gate;
    const ticket = service.ticket('multi');
    const status = async () => (await gate.scan('validate', ticket)).status;
    await service.freezeClock();
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    await service.advance('99s');
    expect(await status()).toBe(429);
    // A little more than the hundredth second: tokens are fractions, and their sum is not exact.
    await service.advance('1100ms');
    expect([await status(), await status()]).toEqual([200, 429]);
    await service.setClock((await service.clock()).now);
    expect(await status()).toBe(429);
  });

  test('frozen it stands, released it runs', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const { now } = await service.freezeClock('2031-01-01T00:00:00Z');
    expect(now).toBe('2031-01-01T00:00:00.000Z');
    expect((await service.clock()).now).toBe(now);
    const { frozen } = await service.resumeClock();
    expect(frozen).toBe(false);
    expect((await service.clock()).now.slice(0, 10)).toBe('2031-01-01');
  });

  test('what is no time and no duration is refused with a word on what is', async () => {
    await using gate = await drive(way);
    for (const duration of ['2 hours', '', '-1h', -1, Number.NaN]) {
      await expect(gate.service.advance(duration)).rejects.toMatchObject({ code: 'usage' });
    }
    await expect(gate.service.setClock('tomorrow')).rejects.toThrow(/ISO 8601/);
    await expect(gate.service.setClock('+012027-01-01T00:00:00Z')).rejects.toThrow(
      /years are 1 to/,
    );
  });

  test('the clock cannot be advanced to where there is no time', async () => {
    await using gate = await drive(way);
    await gate.service.freezeClock('9999-12-30T00:00:00Z');
    await expect(gate.service.advance('2d')).rejects.toMatchObject({ code: 'usage' });
    expect((await gate.service.advance('1d')).now).toBe('9999-12-31T00:00:00.000Z');
  });
});

test('durations', () => {
  expect(durationMs('1d 2h 3m 4s 5ms')).toBe(93_784_005);
  expect(durationMs('1.5h')).toBe(5_400_000);
  expect(durationMs(250)).toBe(250);
  expect(timeMs('1970-01-01T00:00:01Z')).toBe(1000);
});

interface Move {
  readonly kind: 'advance' | 'set' | 'freeze' | 'freezeAt' | 'resume' | 'pass';
  readonly ms: number;
}

/** Does it, and says what time it should be then. */
function apply(clock: ControlledClock, machine: TestClock, { kind, ms }: Move): number {
  const [now, frozen] = [clock.now(), clock.state().frozen];
  switch (kind) {
    case 'advance':
      clock.advance(ms);
      return now + ms;
    case 'set':
      clock.set(ms);
      return ms;
    case 'freezeAt':
      clock.freeze(ms);
      return ms;
    case 'freeze':
      clock.freeze();
      return now;
    case 'resume':
      clock.resume();
      return now;
    case 'pass':
      machine.advance(ms);
      return frozen ? now : now + ms;
  }
}

test('whatever is done to it, it shows the right time, and the monotonic one never runs backwards', () => {
  const kind = fc.constantFrom('advance', 'set', 'freeze', 'freezeAt', 'resume', 'pass');
  const move: fc.Arbitrary<Move> = fc.record({ kind, ms: fc.nat({ max: 4e12 }) });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      const machine = new TestClock();
      const clock = new ControlledClock(machine);
      let last = clock.monotonicMs();
      for (const one of moves) {
        expect(apply(clock, machine, one)).toBe(clock.now());
        expect(clock.monotonicMs()).toBeGreaterThanOrEqual(last);
        last = clock.monotonicMs();
      }
    }),
  );
});
