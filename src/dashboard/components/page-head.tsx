import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { addressOf, type Input, type Route } from '../api/http.ts';
import { pageZone } from '../i18n/formats.ts';
import { useLanguage } from '../i18n/language.tsx';

let pagesShown = 0;

/** The title of a page and its actions. A new page takes the focus, so that a screen reader begins there. */
export function PageHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  const { texts } = useLanguage();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    pagesShown += 1;
    if (pagesShown > 1) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} · ${texts.product}`;
  });
  return (
    <div className="page-head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <div className="page-actions">{children}</div>
    </div>
  );
}

interface ExportLinksProps {
  readonly route: Route;
  readonly filter: Input;
}

/** Downloads of a whole list. The browser fetches them itself, so that their size does not matter to the page. */
export function ExportLinks({ route, filter }: ExportLinksProps) {
  const {
    language,
    texts: { general },
  } = useLanguage();
  const link = (format: string, short: string, text: string) => (
    <Button
      aria-label={text}
      component="a"
      variant="default"
      download
      href={addressOf(route, { ...filter, format, language, timeZone: pageZone() })}
      leftSection={<IconDownload size={18} aria-hidden />}
    >
      {short}
    </Button>
  );
  const excel = link('excel', 'Excel', general.exportExcel);
  return (
    <>
      {language === 'de' && excel}
      {link('csv', 'CSV', general.exportCsv)}
      {language !== 'de' && excel}
    </>
  );
}
