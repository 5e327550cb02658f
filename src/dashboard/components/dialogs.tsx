import { Alert, Button, type ButtonProps, Modal } from '@mantine/core';
import { IconEyeOff, IconPlus } from '@tabler/icons-react';
import { createContext, type FormEvent, type ReactNode, use, useEffect, useState } from 'react';
import type { AnswerOf, InputOf, Route } from '../api/http.ts';
import { useChange } from '../api/use-api.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { CopyField } from './fields.tsx';
import { FormFailure } from './form-failure.tsx';
import { Failure } from './page.tsx';

/** Closes the dialogue that is open around a component. */
export const Opened = createContext<() => void>(() => undefined);

/** Closes the dialogue that the component is in. */
export function useClose(): () => void {
  return use(Opened);
}

interface PlainModalProps {
  readonly title: ReactNode;
  readonly size?: 'lg' | undefined;
  readonly children: ReactNode;
}

/** A dialogue whose content closes it. */
export function PlainModal({ title, size, children }: PlainModalProps) {
  const { general } = useDeskTexts();
  useFocusBack();
  return (
    <Modal
      opened
      {...(size && { size })}
      onClose={useClose()}
      title={<span className="break">{title}</span>}
      closeButtonProps={{ 'aria-label': general.close }}
    >
      <div ref={beginInside}>{children}</div>
    </Modal>
  );
}

const FIRST_FIELD = 'input:not([disabled], [type="hidden"], [type="file"]), select, textarea';

/** Lets a dialogue begin in its first field, else at its first button: the cross in its corner comes before both. */
function beginInside(content: HTMLElement | null): void {
  if (!content || content.querySelector('[data-autofocus]')) return;
  const first = content.querySelector(FIRST_FIELD) ?? content.querySelector('button, a[href]');
  first?.setAttribute('data-autofocus', 'true');
}

/** What had the focus before the first of several dialogues that follow each other. */
let opener: HTMLElement | undefined;

/** Gives the focus back when the dialogue is gone, and to the heading when what opened it is gone too. */
function useFocusBack(): void {
  const [before] = useState(() => {
    const focused = document.activeElement;
    const isOutside = focused instanceof HTMLElement && !focused.closest('[role="dialog"]');
    if (isOutside && focused !== document.body) opener = focused;
    return opener;
  });
  useEffect(() => {
    const giveBack = () => {
      if (document.activeElement !== document.body) return;
      const target = before?.isConnected ? before : document.querySelector('h1');
      target?.focus({ preventScroll: true });
    };
    return () => {
      setTimeout(giveBack);
    };
  }, [before]);
}

interface FormModalProps extends PlainModalProps {
  readonly onSubmit: () => void;
  readonly submit: string;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  /** The act cannot be taken back, or stops a gate. */
  readonly danger?: boolean;
  /** What was given cannot be sent, and the dialogue says why. */
  readonly isBlocked?: boolean;
  /** The other button, where "Cancel" could be misread; null where nothing is left to cancel. */
  readonly dismiss?: string | null;
}

/** A dialogue with fields or a question. It stays open with what was typed when the server refuses. */
export function FormModal(props: FormModalProps) {
  const { general } = useDeskTexts();
  const { title, size, change, danger, isBlocked = false, dismiss = general.cancel } = props;
  const onClose = useClose();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending && !isBlocked) props.onSubmit();
  };
  return (
    <PlainModal title={title} size={size}>
      <form onSubmit={onSubmit} className="form">
        {props.children}
        {change.error && <FormFailure error={change.error} />}
        <div className="form-buttons">
          {/* What a key presses without looking must not be the danger. */}
          {dismiss !== null && (
            <Button variant="default" onClick={onClose} {...(danger && { 'data-autofocus': true })}>
              {dismiss}
            </Button>
          )}
          <Button
            type="submit"
            loading={change.isPending}
            disabled={isBlocked}
            {...(danger && { color: 'red' })}
          >
            {props.submit}
          </Button>
        </div>
      </form>
    </PlainModal>
  );
}

interface ChangeModalProps<R extends Route> extends Omit<FormModalProps, 'onSubmit' | 'change'> {
  readonly route: R;
  readonly input: InputOf<R>;
  /** Other kinds that are stale afterwards. */
  readonly alsoStale?: readonly string[];
  readonly onDone?: ((answer: AnswerOf<R>) => void) | undefined;
}

/** A dialogue that asks the server for one change, and closes when it is done. */
export function ChangeModal<R extends Route>(props: ChangeModalProps<R>) {
  const { route, input, alsoStale = [], onDone, ...modal } = props;
  const change = useChange(route, ...alsoStale);
  const close = useClose();
  // A promise tells of success also when the change has taken the dialogue off the page.
  const onSubmit = () =>
    void change.mutateAsync(input).then(
      (answer) => {
        close();
        onDone?.(answer);
      },
      () => undefined,
    );
  return <FormModal {...modal} change={change} onSubmit={onSubmit} />;
}

/** Asks once more before something that cannot be taken back, or that stops a gate. */
export function Confirm<R extends Route>({ children, ...props }: ChangeModalProps<R>) {
  return (
    <ChangeModal danger {...props}>
      <p className="break">{children}</p>
    </ChangeModal>
  );
}

interface ShownOnceProps extends Omit<PlainModalProps, 'children'> {
  /** What belongs to it. */
  readonly children?: ReactNode;
  /** What the value is called. */
  readonly label: string;
  readonly value: string;
}

/** A secret to copy now: nobody can see it again. Only the button closes it. */
export function ShownOnce({ title, label, value, children }: ShownOnceProps) {
  const { keys } = useDeskTexts();
  const onClose = useClose();
  useFocusBack();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={<span className="break">{title}</span>}
    >
      <div className="form">
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          {keys.once}
        </Alert>
        <CopyField label={label} value={value} />
        {children}
        <div className="form-buttons">
          <Button onClick={onClose}>{keys.done}</Button>
        </div>
      </div>
    </Modal>
  );
}

interface DialogButtonProps extends ButtonProps {
  readonly 'aria-label'?: string;
  /** Shown while it is open. */
  readonly dialog: ReactNode;
  readonly children: ReactNode;
}

/** A button that opens a dialogue. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && <Opened value={() => setOpen(false)}>{dialog}</Opened>}
    </>
  );
}

/** The button at the head of a page that makes something new. */
export function CreateButton({ text, dialog }: Pick<DialogButtonProps, 'dialog'> & Text) {
  return (
    <DialogButton leftSection={<IconPlus size={18} aria-hidden />} dialog={dialog}>
      {text}
    </DialogButton>
  );
}

interface Text {
  readonly text: string;
}

interface RowButtonProps extends Text {
  /** What it acts on: a screen reader says it too. */
  readonly of: string;
  /** What a screen reader says, where text and name do not make a sentence. */
  readonly label?: string;
  /** The act cannot be taken back. */
  readonly danger?: boolean;
}

function useLook({ text, of, label, danger }: RowButtonProps) {
  const { general } = useDeskTexts();
  const look = danger ? { variant: 'light', color: 'red' } : { variant: 'default' };
  return { ...look, size: 'xs', 'aria-label': label ?? general.act(text, of), children: text };
}

/** A small button in a row or on a card that opens a dialogue. */
export function RowDialog({ dialog, ...row }: RowButtonProps & Pick<DialogButtonProps, 'dialog'>) {
  return <DialogButton {...useLook(row)} dialog={dialog} />;
}

type Question<R extends Route> = Omit<ChangeModalProps<R>, 'submit'> & Text;

interface ConfirmButtonProps {
  readonly look: ButtonProps & { readonly 'aria-label'?: string };
}

/** A button that asks once more, and then does what it says. */
export function ConfirmButton<R extends Route>(props: Question<R> & ConfirmButtonProps) {
  const { look, text, ...question } = props;
  return (
    <DialogButton {...look} dialog={<Confirm {...question} submit={text} />}>
      {text}
    </DialogButton>
  );
}

/** The same in a row or on a card. */
export function RowConfirm<R extends Route>(props: Question<R> & RowButtonProps) {
  const { of, danger = false, ...question } = props;
  const look = useLook({ text: question.text, of, danger });
  return <ConfirmButton {...question} look={look} />;
}

interface ChangeButtonProps<R extends Route> extends ButtonProps {
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
  readonly route: R;
  readonly input: InputOf<R>;
  readonly alsoStale?: readonly string[];
  readonly onDone?: (answer: AnswerOf<R>) => void;
}

/** A button that asks the server for one change at once, and says why it was refused. */
export function ChangeButton<R extends Route>(props: ChangeButtonProps<R>) {
  const { route, input, alsoStale = [], onDone, ...button } = props;
  const change = useChange(route, ...alsoStale);
  const onSuccess = (answer: AnswerOf<R>) => onDone?.(answer);
  return (
    <>
      <Button
        {...button}
        loading={change.isPending}
        onClick={() => change.mutate(input, { onSuccess })}
      />
      {change.error && <Failure error={change.error} />}
    </>
  );
}

type RowChangeProps<R extends Route> = RowButtonProps &
  Pick<ChangeButtonProps<R>, 'route' | 'input'>;

/** The same, small, in a row or on a card. */
export function RowChange<R extends Route>({ route, input, ...row }: RowChangeProps<R>) {
  return <ChangeButton {...useLook(row)} route={route} input={input} />;
}
