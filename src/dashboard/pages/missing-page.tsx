import { PageHead } from '../components/page-head.tsx';
import { Empty } from '../components/states.tsx';
import { useTexts } from '../i18n/language.tsx';
import type { Place } from '../shell/places.ts';

/** For an address within the dashboard that leads nowhere. */
export function MissingPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.missing.title} />
      <Empty text={texts.missing.text} />
    </>
  );
}

/** For the address of a page that only others may see. */
export function ForbiddenPage({ place: { text, from } }: { place: Place }) {
  const { navigation, missing, roles } = useTexts();
  return (
    <>
      <PageHead title={navigation[text]} />
      <Empty text={missing.forbidden(roles[from])} />
    </>
  );
}
