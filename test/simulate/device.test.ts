import { describe, expect, test } from 'vitest';
import { denied, granted, virtualGate } from './support/virtual-gate.ts';

describe('a device that gets an answer', () => {
  test('opens the door it was told for the seconds it was told, and shows name and note', () => {
    const gate = virtualGate();
    gate.present('card');
    expect(gate.device.state).toBe('waiting');
    gate.answer(granted({ ActIndex: '1', Time: '7' }));

    expect(gate.device.state).toBe('granted');
    expect(gate.device.relay).toBe('OUT');
    expect(gate.device.display).toEqual({ name: 'Einzelticket', note: 'Ticket gültig (1/1)' });
    gate.time.runUntil(gate.time.nowMs() + 6999);
    expect(gate.device.relay).toBe('OUT');
    gate.time.runUntil(gate.time.nowMs() + 1);
    expect(gate.device.relay).toBeUndefined();
    expect(gate.device.state).toBe('idle');
    expect(gate.device.display).toEqual({ name: '', note: '' });
  });

  test('stays closed on a denial and shows the note under a red light', () => {
    const gate = virtualGate({ deniedMs: 2000 });
    gate.present('card');
    gate.answer(denied('Ticket abgelaufen'));

    expect(gate.device.state).toBe('denied');
    expect(gate.device.relay).toBeUndefined();
    expect(gate.device.display.note).toBe('Ticket abgelaufen');
    gate.time.runUntil(gate.time.nowMs() + 2000);
    expect(gate.device.state).toBe('idle');
  });

  test('a display has room for 16 and 32 bytes, not letters, and longer texts are deviations', () => {
    const gate = virtualGate();
    gate.present('card');
    gate.answer(granted({ Name: 'ÄÖÜäöüßÄÖ', Note: 'x'.repeat(33) }));

    expect(gate.device.display).toEqual({ name: 'ÄÖÜäöüßÄ', note: 'x'.repeat(32) });
    const deviations = gate.events.filter(({ event }) => event === 'deviation');
    expect(deviations).toHaveLength(2);
  });

  test('a letter that the display cuts in two shows as a replacement character', () => {
    const gate = virtualGate();
    gate.present('card');
    gate.answer(granted({ Name: 'abcdefghijklmnoé' }));

    expect(gate.device.display.name).toBe('abcdefghijklmno\uFFFD');
  });

  test('says that the person passed, and then is free for the next one', () => {
    const gate = virtualGate({ passMs: 1000 });
    gate.present('card');
    gate.answer(granted());

    expect(gate.device.free).toBe(false);
    gate.time.runUntil(gate.time.nowMs() + 1000);
    expect(gate.device.free).toBe(true);
    expect(gate.names()).toContain('passed');
  });

  test('a person who turns back is told apart from one who passes', () => {
    const gate = virtualGate({ turnBack: 1, passMs: 100 });
    gate.present('card');
    gate.answer(granted());
    gate.time.runUntil(gate.time.nowMs() + 100);

    expect(gate.names()).toContain('turned-back');
    expect(gate.names()).not.toContain('passed');
  });
});

describe('a device that gets no answer in time', () => {
  test('waits for its Wait Time, in tenths of a second, and not shorter', () => {
    const gate = virtualGate({ waitTime: 30 });
    gate.present('card');
    gate.time.runUntil(gate.time.nowMs() + 2999);
    expect(gate.device.state).toBe('waiting');
    gate.time.runUntil(gate.time.nowMs() + 1);

    expect(gate.outcomes).toMatchObject([{ result: 'timeout', latencyMs: 3000, opened: false }]);
    expect(gate.device.relay).toBeUndefined();
  });

  test('opens when it is fail-safe', () => {
    const gate = virtualGate({ failMode: 'safe', openSeconds: 4 });
    gate.present('card');
    gate.time.runUntil(gate.time.nowMs() + 3000);

    expect(gate.device.relay).toBe('IN');
    expect(gate.outcomes).toMatchObject([{ result: 'timeout', opened: true }]);
  });

  test('ignores the answer that comes late, and says that a use was spent for nothing', () => {
    const gate = virtualGate();
    gate.present('card');
    gate.time.runUntil(gate.time.nowMs() + 3000);
    gate.answer(granted());

    expect(gate.device.relay).toBeUndefined();
    expect(gate.events.at(-1)).toMatchObject({ event: 'unseen', why: 'late-answer', usesSpent: 1 });
  });

  test('a late answer to a validation spends nothing', () => {
    const gate = virtualGate({ operation: 'validate' });
    gate.present('card');
    gate.time.runUntil(gate.time.nowMs() + 3000);
    gate.answer(granted());

    expect(gate.events.at(-1)).toMatchObject({ event: 'unseen', granted: true, usesSpent: 0 });
  });
});

test('an answer that is no answer is an error and keeps the door closed', () => {
  const gate = virtualGate();
  for (const body of ['', 'nonsense', '{"AcsRes":"2"}', '[]']) {
    gate.present(`card ${body}`);
    gate.answer({ status: 200, body });
  }

  expect(gate.outcomes.map(({ result, opened }) => ({ result, opened }))).toEqual(
    Array.from({ length: 4 }, () => ({ result: 'error', opened: false })),
  );
});

test.each([201, 203, 206, 302])('a grant with HTTP %i opens nothing', (status) => {
  const gate = virtualGate();
  gate.present('card');
  gate.answer({ ...granted(), status });

  expect(gate.outcomes).toMatchObject([{ result: 'error', opened: false }]);
});

test('a server error is an error, whatever its body says', () => {
  const gate = virtualGate();
  gate.present('card');
  gate.answer({ ...denied('Serverfehler'), status: 500 });

  expect(gate.outcomes).toMatchObject([{ result: 'error', message: 'HTTP 500: Serverfehler' }]);
});

test('a server error that denies in the format of the device keeps a fail-safe door closed and shows its note', () => {
  const gate = virtualGate({ failMode: 'safe' });
  gate.present('card');
  gate.answer({ ...denied('Serverfehler'), status: 500 });

  expect(gate.outcomes).toMatchObject([{ result: 'error', opened: false, note: 'Serverfehler' }]);
  expect(gate.device.relay).toBeUndefined();
});

test('a server error with another body opens a fail-safe door: that is no answer', () => {
  const gate = virtualGate({ failMode: 'safe' });
  gate.present('card');
  gate.answer({ status: 500, body: 'Bad Gateway' });

  expect(gate.outcomes).toMatchObject([{ result: 'error', opened: true }]);
});

test('a controller that reads no body but that of a 200 takes a 403 for no answer', () => {
  const gate = virtualGate({ reads200Only: true });
  gate.present('card');
  gate.answer(denied('Kein Zugriff', 403));

  expect(gate.outcomes).toMatchObject([{ result: 'error', status: 403 }]);
});

describe('the same card again', () => {
  test('is not posted within the anti-repeat time, and is posted after it', () => {
    const gate = virtualGate({ antiRepeatMs: 1000 });
    gate.present('card');
    gate.answer(denied());
    gate.time.runUntil(gate.time.nowMs() + 999);
    expect(gate.present('card')).toBe(false);
    gate.time.runUntil(gate.time.nowMs() + 1);
    expect(gate.present('card')).toBe(true);

    expect(gate.sent).toHaveLength(2);
    expect(gate.events).toContainEqual(
      expect.objectContaining({ event: 'ignored', why: 'repeat' }),
    );
  });

  test('another card is posted at once', () => {
    const gate = virtualGate({ antiRepeatMs: 1000 });
    gate.present('one');
    gate.answer(denied());

    expect(gate.present('two')).toBe(true);
  });

  test('no card is read while the device waits for an answer', () => {
    const gate = virtualGate();
    gate.present('one');

    expect(gate.present('two')).toBe(false);
    expect(gate.events.at(-1)).toMatchObject({ event: 'ignored', why: 'busy' });
  });
});

test('Index counts the posts up and begins anew after a power cycle', () => {
  const gate = virtualGate({ bootMs: 2000 });
  const indexes = () => gate.sent.map(({ body }) => JSON.parse(body).Index);
  for (const code of ['a', 'b']) {
    gate.present(code);
    gate.answer(denied());
  }
  gate.device.powerCycle();
  expect(gate.device.state).toBe('off');
  expect(gate.present('c')).toBe(false);
  gate.time.runUntil(gate.time.nowMs() + 2010);
  gate.present('c');

  expect(indexes()).toEqual([1, 2, 1]);
});

test('a power cut closes the door, and the answer that was under way is seen by nobody', () => {
  const gate = virtualGate();
  gate.present('card');
  gate.device.powerOff();
  gate.answer(granted());

  expect(gate.device.relay).toBeUndefined();
  expect(gate.outcomes).toMatchObject([{ result: 'error' }]);
  expect(gate.events.at(-1)).toMatchObject({ event: 'unseen', why: 'power-cycle', usesSpent: 1 });
});

describe('heartbeats', () => {
  test('leave at power on and then every five seconds', () => {
    const gate = virtualGate();
    gate.time.runUntil(15_010);

    const times = gate.events.filter(({ event }) => event === 'heartbeat').map(({ t }) => t);
    expect(times).toEqual([1, 5001, 10_001, 15_001]);
  });

  test('without answers take the device offline after the second one, and an answer brings it back', () => {
    const gate = virtualGate({ heartbeatMs: 5000, waitTime: 30, offlineAfter: 2 });
    expect(gate.device.state).toBe('idle');
    gate.heartbeatsAnswered = false;
    gate.time.runUntil(8100);
    expect(gate.device.online).toBe(true);
    gate.time.runUntil(13_100);
    expect(gate.device.state).toBe('offline');
    gate.heartbeatsAnswered = true;
    gate.time.runUntil(15_010);

    expect(gate.device.state).toBe('idle');
    const changes = gate.names().filter((name) => name === 'online' || name === 'offline');
    expect(changes).toEqual(['online', 'offline', 'online']);
  });

  test('a cut network takes the device offline and posts get no answer', () => {
    const gate = virtualGate();
    gate.device.cutNetwork();
    gate.present('card');
    gate.time.runUntil(20_000);

    expect(gate.sent).toHaveLength(0);
    expect(gate.outcomes).toMatchObject([{ result: 'timeout' }]);
    expect(gate.device.state).toBe('offline');
  });

  test('a device without a heartbeat learns from cards whether the server is there', () => {
    const gate = virtualGate({ model: 'bas-ip', waitTime: 10 });
    expect(gate.device.online).toBe(true);
    gate.present('card');
    gate.time.runUntil(gate.time.nowMs() + 1000);
    expect(gate.device.online).toBe(false);
    gate.present('card 2');
    gate.answer({ status: 200, body: '{"handled":true,"access":{"granted":false}}' });

    expect(gate.device.online).toBe(true);
  });

  test('an answer with another Key is a missed heartbeat', () => {
    const gate = virtualGate({ heartbeatMs: 0 });
    const heart = gate.device.settings.model.heart;
    const facts = gate.device.facts();

    expect(heart?.fault({ status: 200, body: '{"Key":"other"}' }, facts)).toContain('another Key');
    expect(heart?.fault({ status: 200, body: '{}' }, facts)).toContain('without Key');
    expect(heart?.fault({ status: 500, body: '{}' }, facts)).toContain('HTTP 500');
  });
});
