import { Loader } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLanguage, useTexts } from '../i18n/language.tsx';

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

/** While an answer is awaited. */
export function Loading() {
  const { general } = useTexts();
  return (
    <div className="state" role="status">
      <Loader size="sm" aria-hidden />
      <span>{general.loading}</span>
    </div>
  );
}

/** When there is nothing to show: says so, and what to do about it. */
export function Empty({ text }: { text: string }) {
  return (
    <div className="state empty">
      <p>{text}</p>
    </div>
  );
}
