import { Button } from '@mantine/core';
import type { LogPage } from '../../api/use-log-pages.ts';
import type { Pages } from '../../api/use-pages.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const SHORT_PAGE = 10;

/** When a filter found little in the part of the log that was looked at: says so, and offers to look further back. */
export function SearchedBack({ pages }: { pages: Pages<LogPage> }) {
  const { log } = useTexts();
  const formats = useFormats();
  const { data: answer, older } = pages;
  if (!answer || !older || answer.items.length >= SHORT_PAGE) return null;
  return (
    <div className="searched-back" role="status">
      <span>{log.searchedBackTo(formats.number(answer.searchedBackTo))}</span>
      <Button size="xs" variant="light" onClick={older}>
        {log.searchOn}
      </Button>
    </div>
  );
}
