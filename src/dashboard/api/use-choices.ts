import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { queryOf } from './http.ts';

type Choices<Name extends string> = Readonly<Record<Name, string>>;

interface UsedChoices<Name extends string> {
  /** Empty where nothing is chosen. */
  readonly chosen: Choices<Name>;
  readonly choose: (changes: Partial<Choices<Name>>) => void;
  readonly clear: () => void;
}

/** What is chosen on a page, in its address: Back keeps it, and a link can name it. @param names the same ones each time */
export function useChoices<Name extends string>(names: readonly Name[]): UsedChoices<Name> {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const chosen = useMemo(() => {
    const address = new URLSearchParams(search);
    return Object.fromEntries(
      names.map((name) => [name, address.get(name) ?? '']),
    ) as Choices<Name>;
  }, [search, names]);
  const goTo = (choices: Partial<Choices<Name>>) =>
    navigate(`${location}${queryOf(choices as Record<string, string>)}`, { replace: true });
  return {
    chosen,
    choose: (changes) => goTo({ ...chosen, ...changes }),
    clear: () => goTo({}),
  };
}
