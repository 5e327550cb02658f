import { escapeMarkup } from '../../kit/text.ts';
import type { CheckResult } from '../results/result.ts';
import { totalsLine } from './texts.ts';

const LABEL = 'scan API';
const LABEL_WIDTH = 62;
const HEIGHT = 20;

/** White text is readable on each of these. */
const VERDICTS = {
  conforms: { color: '#2a7d3f', width: 68 },
  deviates: { color: '#b3261e', width: 64 },
  incomplete: { color: '#8a5a00', width: 76 },
} as const;

/** An SVG badge with the verdict, for a README or a wiki. It loads nothing and contains no script. */
export function badgeReport(result: CheckResult): string {
  const { color, width } = VERDICTS[result.verdict];
  const all = LABEL_WIDTH + width;
  const title = escapeMarkup(
    `${LABEL}: ${result.verdict}, ${totalsLine(result)}, requirements of ${result.requirements}, ${result.startedAt.slice(0, 10)}`,
  );
  const text = (value: string, left: number, length: number) =>
    `<text x="${left + length / 2}" y="14" textLength="${length - 12}">${value}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${all}" height="${HEIGHT}" role="img" aria-label="${LABEL}: ${result.verdict}">
<title>${title}</title>
<rect width="${all}" height="${HEIGHT}" rx="3" fill="#444"/>
<path d="M${LABEL_WIDTH} 0h${width - 3}q3 0 3 3v14q0 3-3 3h-${width - 3}z" fill="${color}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
${text(LABEL, 0, LABEL_WIDTH)}
${text(result.verdict, LABEL_WIDTH, width)}
</g>
</svg>
`;
}
