import { useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { ApiFailure } from '../api/http.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import type { DeskTexts } from '../i18n/desk-texts.ts';
import { Failure, failureText } from './page.tsx';

/** Refusals with a code of their own that are about one field. */
const FIELDS_OF_CODES: Readonly<Record<string, string>> = {
  name_invalid: 'name',
  name_secret: 'name',
  text_code: 'name',
  name_taken: 'name',
  account_name_spaces: 'name',
  account_name_invisible: 'name',
  account_name_taken: 'name',
  unknown_time_zone: 'timeZone',
  webhook_url: 'url',
  webhook_url_parts: 'url',
  webhook_address: 'url',
  password_wrong: 'current',
};

/** The name of the field that a refusal is about; of a member within a member, the last part. */
function fieldOf(error: Error): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined;
  const named = error.values?.['field'];
  if (named !== undefined) return String(named).split('.').at(-1);
  return FIELDS_OF_CODES[error.code ?? ''];
}

/** The reason without the name of the member: at the field, its own label says what it is about. */
function textAtField(error: Error, texts: DeskTexts): string {
  if (!(error instanceof ApiFailure)) return failureText(error, texts);
  const { status, message, code, values: { field: _, ...values } = {} } = error;
  return failureText(new ApiFailure(status, message, { code, values }), texts);
}

const WRAPPER = '.mantine-InputWrapper-root';

/**
 * Why the server refused a form: at the field that it is about, which then has the focus, else where it stands. The field is found by
 * its name in the document, because it is made by the page and the refusal by the dialogue around it.
 */
export function FormFailure({ error }: { error: Error }) {
  const texts = useDeskTexts();
  const id = useId();
  const here = useRef<HTMLDivElement>(null);
  const [wrapper, setWrapper] = useState<Element | null>(null);
  const field = fieldOf(error);
  useLayoutEffect(() => {
    const form = here.current?.closest('form');
    const input = field && form?.querySelector<HTMLElement>(`[name="${CSS.escape(field)}"]`);
    const around = input ? input.closest(WRAPPER) : null;
    setWrapper(around);
    if (!input || !around) return;
    const described = input.getAttribute('aria-describedby');
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', described === null ? id : `${described} ${id}`);
    input.focus();
    return () => {
      input.removeAttribute('aria-invalid');
      if (described === null) input.removeAttribute('aria-describedby');
      else input.setAttribute('aria-describedby', described);
    };
  }, [field, id]);
  return (
    <div ref={here}>
      {wrapper ? (
        createPortal(
          <p id={id} className="field-error" role="alert">
            {textAtField(error, texts)}
          </p>,
          wrapper,
        )
      ) : (
        <Failure error={error} />
      )}
    </div>
  );
}
