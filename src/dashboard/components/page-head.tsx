import { Loader } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
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

/** A server that answers has answered by then. */
const WAITING_MS = 1000;

/** While an answer is awaited; soon it says for whom. */
export function Loading() {
  const { general } = useTexts();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAITING_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="state" role="status">
      <Loader size="sm" aria-hidden />
      <span>{isLate ? general.waiting : general.loading}</span>
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
