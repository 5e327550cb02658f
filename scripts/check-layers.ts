import { execFileSync } from 'node:child_process';

/** Runs dependency-cruiser and fails when it saw nothing: an empty report would pass for a clean one. */
const report = JSON.parse(
  execFileSync(
    'depcruise',
    ['src', 'prove', '--config', '.dependency-cruiser.js', '--output-type', 'json'],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  ),
) as {
  summary: {
    totalCruised: number;
    error: number;
    violations: { from: string; to: string; rule: { name: string } }[];
  };
};

const { summary } = report;
for (const violation of summary.violations) {
  console.error(`${violation.rule.name}: ${violation.from} → ${violation.to}`);
}
if (summary.totalCruised < 10) {
  console.error(
    `layers: only ${summary.totalCruised} modules were read; the check itself is broken`,
  );
}
process.exitCode = summary.error > 0 || summary.totalCruised < 10 ? 1 : 0;
console.log(`layers: ${summary.totalCruised} modules, ${summary.error} violations`);
