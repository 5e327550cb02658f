import { Progress } from '@mantine/core';
import type { Key } from '../../api/types.ts';
import { MonthWarning } from '../../components/month-warning.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const WARN_FROM = 0.8;

/** How much of the month's quota is used, and the rate that holds (section 8). */
export function KeyUsage({ usage }: { usage: Key['usage'] }) {
  const texts = useTexts();
  const formats = useFormats();
  const share = usage.requestsThisMonth / usage.quota;
  const text = texts.keys.usageOf(
    formats.number(usage.requestsThisMonth),
    formats.number(usage.quota),
  );
  return (
    <div className="usage">
      <div className="usage-text">
        <span>{texts.keys.usage}</span>
        <span>{text}</span>
      </div>
      <Progress.Root>
        <Progress.Section
          value={Math.min(100, share * 100)}
          color={share >= WARN_FROM ? 'red' : 'indigo'}
          aria-label={texts.keys.usage}
          aria-valuetext={text}
        />
      </Progress.Root>
      <MonthWarning usage={usage} />
      <span className="dimmed small">
        {texts.keys.rate(formats.number(usage.ratePerSecond), formats.number(usage.burst))}
      </span>
    </div>
  );
}
