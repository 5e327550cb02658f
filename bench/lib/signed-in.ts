interface Account {
  readonly name: string;
  readonly password: string;
}

/** Signs in to a server. @returns reads a path of its admin API to the end, and throws unless it is answered with 200 */
export async function signedIn({
  url,
  account,
}: {
  url: string;
  account: Account;
}): Promise<(path: string) => Promise<void>> {
  const response = await fetch(`${url}/admin/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return async (path) => {
    const answer = await fetch(`${url}/admin/v1${path}`, { headers: { cookie } });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  };
}
