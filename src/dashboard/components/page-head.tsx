import { type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from '../i18n/language.tsx';

let pagesShown = 0;

/** The title of a page and its actions. A new page takes the focus, so that a screen reader begins there. */
export function PageHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  const texts = useTexts();
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
