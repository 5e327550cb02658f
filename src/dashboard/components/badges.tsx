import { Badge } from '@mantine/core';
import { useTexts } from '../i18n/language.tsx';

/** A state in a word and a colour; the word alone says it all. */
export function StateBadge({ text, good }: { text: string; good: boolean | undefined }) {
  const color = good === undefined ? 'gray' : good ? 'green' : 'red';
  return (
    <Badge color={color} variant="light" radius="sm" className="badge">
      {text}
    </Badge>
  );
}

/** The outcome of a scan, with the reason of a rejection. */
export function OutcomeBadge({ outcome, reason }: { outcome: string; reason: string | null }) {
  const { outcomes } = useTexts();
  const known = outcomes as Record<string, string>;
  const good = outcome === 'consumed' || outcome === 'validated';
  return <StateBadge good={good} text={known[reason ?? outcome] ?? reason ?? outcome} />;
}
