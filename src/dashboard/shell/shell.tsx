import { ActionIcon } from '@mantine/core';
import { IconMenu2, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useMay } from '../api/session.tsx';
import { useTexts } from '../i18n/language.tsx';
import icon from '../icon.svg';
import { AccountBox } from './account-box.tsx';
import { LanguageSwitch, SchemeSwitch } from './appearance.tsx';
import { Navigation, Parts, QuickSearch } from './navigation.tsx';
import { TestControlsBanner } from './test-controls-banner.tsx';

/** The frame around every page: name, switches, navigation. */
export function Shell({ children }: { children: ReactNode }) {
  const texts = useTexts();
  const [location] = useLocation();
  const search = useSearch();
  const mayRead = useMay('viewer');
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu that led to it
  useEffect(() => setOpen(false), [location, search]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.navigation.skip}
      </a>
      <header className="shell-header">
        <ActionIcon
          className="shell-menu"
          variant="subtle"
          size="lg"
          aria-label={open ? texts.navigation.close : texts.navigation.open}
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          {open ? <IconX /> : <IconMenu2 />}
        </ActionIcon>
        <Link href="/" className="brand" aria-label={texts.product}>
          <img src={icon} alt="" width={28} height={28} />
          <span>{texts.product}</span>
        </Link>
        <span className="spring" />
        <LanguageSwitch />
        <SchemeSwitch />
      </header>
      <div className={open ? 'shell-side open' : 'shell-side'} id="navigation">
        <div className="shell-pages">
          {mayRead && <QuickSearch />}
          <Navigation />
        </div>
        <AccountBox />
      </div>
      <main className="shell-main" id="content" tabIndex={-1}>
        <TestControlsBanner />
        {mayRead && <Parts />}
        {children}
      </main>
    </div>
  );
}
