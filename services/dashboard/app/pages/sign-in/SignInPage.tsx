import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { SessionResponse } from '#contracts/http/session.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { TextField } from '../../components/fields.tsx';
import { Form } from '../../components/Form.tsx';
import { Loading, Notice } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Logo } from '../../layout/Sidebar.tsx';
import { useGoTo } from '../../layout/use-navigation.ts';
import { strings } from '../../strings/strings.ts';
import { addressWithName, useOfferPasskey, usePasskeySignIn } from './passkey.ts';
import { useToken } from './use-token.ts';

const texts = strings.signIn;

/** As the service checks it for the identity provider. */
const pagePath = /^\/dashboard(?:\/(?!sign-in)(?!.*\.\.)[\w/?=&.%+*-]*)?$/;

/** The page to go to after the sign-in, with /dashboard: a page of the dashboard only. */
const nextPath = (): string => {
  const next = new URLSearchParams(window.location.search).get('next') ?? '';
  return pagePath.test(next) ? next : '/dashboard';
};
const nextPage = (): string => nextPath().replace(/^\/dashboard/, '') || '/';

const linkErrors: Record<string, { title: string; text: string }> = {
  used_sign_in_link: { title: texts.usedTitle, text: texts.usedText },
  expired_sign_in_link: { title: texts.expiredTitle, text: texts.expiredText },
  invalid_sign_in_link: { title: texts.unknownTitle, text: texts.unknownText },
};

const SignInError = ({ error }: { error: unknown }): ReactElement => {
  const known = error instanceof ApiError ? linkErrors[error.error] : undefined;
  const text = error instanceof ApiError ? error.message : texts.passkeyFailed;
  return (
    <Notice tone="danger" title={known?.title ?? texts.failedTitle}>
      <p>{known?.text ?? text}</p>
    </Notice>
  );
};

const PasteLink = ({ onToken, isPending }: { onToken: (token: string) => void; isPending: boolean }): ReactElement => {
  const [link, setLink] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = (): void => {
    const token = link.trim().split('#').at(-1) ?? '';
    if (!/^[\w-]+\.[\w-]+$/.test(token)) return setError(texts.noToken);
    setError(null);
    setLink('');
    onToken(token);
  };
  return (
    <Form className="stack" onSubmit={submit}>
      <TextField
        label={texts.pasteLabel}
        description={texts.pasteText}
        value={link}
        onChange={setLink}
        error={error}
        autoComplete="off"
        isMonospace
      />
      <div className="row">
        <Button type="submit" isPending={isPending}>
          {texts.withLink}
        </Button>
      </div>
    </Form>
  );
};

const PasskeyOffer = ({ onDone }: { onDone: () => void }): ReactElement => {
  const add = useOfferPasskey(onDone);
  return (
    <>
      <PageHeader title={texts.offerTitle} />
      <p>{texts.offerText}</p>
      {add.error && <SignInError error={add.error} />}
      <div className="row">
        <Button variant="primary" isPending={add.isPending} onPress={() => add.mutate()}>
          {texts.offerAdd}
        </Button>
        <Button onPress={onDone}>{texts.offerSkip}</Button>
      </div>
    </>
  );
};

type WaysProps = { onSignedIn: (session: SessionResponse) => void; initialToken: string };

const Ways = ({ onSignedIn, initialToken }: WaysProps) => {
  const { data: methods } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: () => api.get('/api/v1/session/methods'),
    staleTime: Infinity,
  });
  const link = useMutation({
    mutationFn: (token: string) => api.post('/api/v1/session', { body: { token } }),
    onSuccess: onSignedIn,
    gcTime: 0,
  });
  const passkey = usePasskeySignIn(onSignedIn);
  const isStarted = useRef(false);
  useEffect(() => {
    // React runs effects twice in development; the link works once.
    if (initialToken === '' || isStarted.current) return;
    isStarted.current = true;
    link.mutate(initialToken);
  }, [initialToken, link]);
  const oidcFailed = new URLSearchParams(window.location.search).has('oidc_failed');
  if (link.isPending) return <Loading />;
  const error = passkey.error ?? link.error;
  return (
    <>
      <PageHeader title={texts.title} />
      {error && <SignInError error={error} />}
      {oidcFailed && !error && <Notice tone="danger">{texts.oidcFailed}</Notice>}
      {!error && <p className="muted">{texts.intro}</p>}
      {methods?.oidc && (
        <a
          className="button button-primary button-medium"
          href={`/api/v1/session/oidc?next=${encodeURIComponent(nextPath())}`}
        >
          {texts.oidc}
        </a>
      )}
      {methods?.passkey && (
        <Button variant="primary" isPending={passkey.isPending} onPress={() => passkey.mutate()}>
          {texts.passkey}
        </Button>
      )}
      {methods && !methods.passkey && addressWithName() && (
        <p className="muted small">{texts.passkeyNeedsName(addressWithName() ?? '')}</p>
      )}
      <section className="stack" aria-labelledby="link-title">
        <h2 id="link-title">{texts.linkTitle}</h2>
        <p className="muted">{texts.linkText}</p>
        <CodeBlock code={texts.linkCommand} />
        <PasteLink onToken={(token) => link.mutate(token)} isPending={link.isPending} />
      </section>
    </>
  );
};

/** Where one-time links lead, and everyone who is not signed in. */
export const SignInPage = (): ReactElement => {
  const token = useToken();
  const [isOffering, setOffering] = useState(false);
  const goTo = useGoTo();
  const leave = (): void => goTo(nextPage());
  const onSignedIn = (session: SessionResponse): void => {
    queryClient.clear();
    if (session.person.passkeys === 0 && addressWithName() === null && 'PublicKeyCredential' in window)
      setOffering(true);
    else leave();
  };
  return (
    <main className="sign-in">
      <Logo />
      <div className="card stack">
        {isOffering ? (
          <PasskeyOffer onDone={leave} />
        ) : (
          <Ways key={token} onSignedIn={onSignedIn} initialToken={token} />
        )}
      </div>
    </main>
  );
};
