import { Alert, Button } from '@mantine/core';
import { type ComponentType, useEffect, useState } from 'react';
import { BASE_PATH } from '../api/http.ts';
import { useTexts } from '../i18n/language.tsx';
import { Loading } from './page-head.tsx';

/** The time after which a part that did not come is asked for again. */
const AGAIN_MS = 2000;

interface PartOptions {
  /** Shows nothing until it is there: another part of the same page says what is awaited. */
  readonly isQuiet?: boolean;
  /** Shown until it is there. */
  readonly Waiting?: ComponentType;
}

/**
 * A part of the page that is loaded when it is first shown. Without a line it says so, and is asked for again until it comes: a failed
 * one must not take the rest of the page away, nor the codes that wait.
 * @param load imports its module and picks the component
 */
export function partOf<Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
  { isQuiet = false, Waiting = Loading }: PartOptions = {},
): ComponentType<Props> {
  const source: Source<Props> = { load, loaded: undefined };
  return function Part(props: Props) {
    const { Loaded, hasFailed } = useLoaded(source);
    if (Loaded) return <Loaded {...props} />;
    if (isQuiet) return null;
    return hasFailed ? <Missing /> : <Waiting />;
  };
}

interface Source<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  /** Kept for the next time that the part is shown. */
  loaded: ComponentType<Props> | undefined;
}

/** Asks for a component until it comes, or nobody waits for it any more. */
function useLoaded<Props>(source: Source<Props>) {
  const [Loaded, setLoaded] = useState(() => source.loaded);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isOver = Loaded !== undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = () =>
      source.load().then(
        (component) => {
          source.loaded = component;
          if (!isOver) setLoaded(() => component);
        },
        () => {
          if (isOver) return;
          setFailed(true);
          timer = setTimeout(ask, AGAIN_MS);
        },
      );
    if (!isOver) void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [source, Loaded]);
  return { Loaded, hasFailed };
}

/** Says that a part did not come. */
function Missing() {
  const { failures, general } = useTexts();
  return (
    <Alert role="alert" color="red" title={failures.title}>
      <p>{failures.unreachable}</p>
      <Button size="xs" variant="default" onClick={() => void loadAnew()}>
        {general.retry}
      </Button>
    </Alert>
  );
}

/** Loads the whole page anew where the server answers: its parts have other names after an upgrade. Without a line it stays. */
async function loadAnew(): Promise<void> {
  const answer = await fetch(`${BASE_PATH}/`, { method: 'HEAD' }).catch(() => undefined);
  if (answer?.ok) location.reload();
}
