import { Button } from '@mantine/core';
import { useTexts } from '../i18n/language.tsx';

interface Turns {
  readonly number: number;
  readonly older: (() => void) | undefined;
  readonly newer: (() => void) | undefined;
}

/** Turns the pages of a long list; not there when all fits on one. */
export function Pager({ pages }: { pages: Turns }) {
  const texts = useTexts();
  if (!pages.older && !pages.newer) return null;
  return (
    <div className="pager">
      <Button variant="default" disabled={!pages.newer} onClick={pages.newer}>
        {texts.general.newer}
      </Button>
      <span role="status">{texts.general.page(pages.number)}</span>
      <Button variant="default" disabled={!pages.older} onClick={pages.older}>
        {texts.general.older}
      </Button>
    </div>
  );
}
