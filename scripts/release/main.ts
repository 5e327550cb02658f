import { parseArgs } from 'node:util';
import { makeRelease } from './make.ts';
import { verifyRelease } from './verify/verify.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    out: { type: 'string' },
    verify: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});

if (values.verify) process.exitCode = verifyRelease({ names: positionals, ...values });
else if (positionals.length === 0) await makeRelease(values);
else {
  console.error(`Parts of a release can only be named with --verify: ${positionals.join(' ')}`);
  process.exitCode = 2;
}
