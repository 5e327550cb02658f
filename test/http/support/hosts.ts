/** Values of a Host header that are one, and that are none (RFC 9112, section 3.2; RFC 3986, section 3.2.2). */
export const HOSTS = {
  good: [
    ...['', 'x', '127.0.0.1', '[::1]', 'gate:8080', 'evil.example', 'GATE', 'Gate.Example.'],
    ...['[::1]:8443', '[fe80::1%25eth0]', '[fe80::1%eth0]:80', '[::ffff:192.0.2.1]', 'gate_1'],
    ...['gate:', 'gate:00080', 'gate:65535', 'xn--mller-kva.example', 'a%2Db', 'a,b', ':8080'],
  ],
  bad: [
    ...[
      'a b',
      'a, b',
      'a/b',
      'a\\b',
      'http://gate',
      'user@gate',
      'user:pass@gate',
      'gate?x',
      'a#b',
    ],
    ...['gate:x', 'gate:80:80', 'gate:-1', 'gate:65536', 'gate:8O', '::1', 'fe80::1:80', '[::1'],
    ...['::1]', '[]', '[gate]', '[1.2.3.4]', '[::1]x', '[::1]:x', '[::1]80', 'a%2', 'a%zz', '<a>'],
    ...['"gate"', '{gate}', 'a|b', 'a^b', 'a`b', 'gate\t1', 'm\xfcller', 'm\xc3\xbcller', 'a\x80'],
  ],
} as const;
