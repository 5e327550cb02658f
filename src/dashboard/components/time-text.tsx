import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

/** A time in the viewer's zone. @param at ISO 8601; null shows as `otherwise`, "never" if that is not given */
export function TimeText({
  at,
  otherwise,
  only,
}: {
  at: string | null;
  otherwise?: string;
  only?: 'time' | 'date';
}) {
  const formats = useFormats();
  const texts = useTexts();
  if (at === null) return <span className="dimmed">{otherwise ?? texts.general.never}</span>;
  return (
    <time dateTime={at} title={formats.exact(at)}>
      {formats[only ?? 'dateTime'](at)}
    </time>
  );
}
