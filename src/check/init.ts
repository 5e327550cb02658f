/**
 * A commented target file to fill in. It is plain JSON: members that begin with `//` are comments.
 * @param baseUrl the deployment that it describes
 */
export function sampleTargetFile(baseUrl = 'https://scan.example.org'): string {
  return `${JSON.stringify(sampleTarget(baseUrl), null, 2)}\n`;
}

function sampleTarget(baseUrl: string): object {
  return {
    '//': [
      'Describes a deployment for `ticketscan check`. Members that begin with // are comments.',
      'Leave out what you do not have: the cases that need it are skipped, with the reason.',
      'A key or a ticket can be written as env:NAME or file:PATH, so that this file holds no secret.',
    ],
    baseUrl,
    '// keys': [
      'rest: own software, all events. restScoped: own software, only the event of the tickets below.',
      'hardware, hardwareScoped: the same for devices. disabled, deleted: keys in those states.',
    ],
    keys: {
      rest: 'env:REST_KEY',
      restScoped: 'env:REST_SCOPED_KEY',
      hardware: 'env:HARDWARE_KEY',
      hardwareScoped: 'env:HARDWARE_SCOPED_KEY',
      disabled: 'env:DISABLED_KEY',
      hardwareDisabled: 'env:HARDWARE_DISABLED_KEY',
      deleted: 'env:DELETED_KEY',
      hardwareDeleted: 'env:HARDWARE_DELETED_KEY',
    },
    '// tickets': [
      'single to windowed: unused, in the scope of every key. With --consume they are spent: use test tickets.',
      'A complete run wants 30 single, 12 multi and 2 to 5 of every other kind; docs/check.md has the numbers.',
      'multi: at least 3 uses left, at most 12 so that the end of a card can be seen.',
      'otherEvent: valid, but outside the scoped keys. unknown: correctly signed, but no such ticket.',
      'A ticket is its code, or an object that says more and makes the check stricter.',
    ],
    tickets: {
      single: [],
      multi: [{ code: 'env:MULTI_TICKET', usesAllowed: 10 }],
      permanent: [],
      personalised: [
        {
          code: 'env:PERSONALISED_TICKET',
          holder: { firstName: 'Zoë', lastName: 'Grünwald-Müller' },
        },
      ],
      windowed: [],
      exhausted: [],
      cancelled: [],
      notYetValid: [],
      expired: [],
      otherEvent: [],
      unknown: [],
    },
  };
}
