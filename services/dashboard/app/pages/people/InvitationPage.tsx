import type { ReactElement } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { InvitationPreviewResponse } from '#contracts/http/members.ts';
import { api } from '../../api/client.ts';
import { loadPage } from '../../api/load-page.ts';
import { addressOfAccount } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { LinkButton } from '../../components/Link.tsx';
import { ErrorNotice, Loading, Notice } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Time } from '../../components/values.tsx';
import { Logo } from '../../layout/Sidebar.tsx';
import { strings } from '../../strings/strings.ts';
import { useToken } from '../sign-in/use-token.ts';

const texts = strings.invitation;

type ChoicesProps = { preview: InvitationPreviewResponse; token: string; onSignedOut: () => void };

const Choices = ({ preview, token, onSignedOut }: ChoicesProps): ReactElement => {
  const { email, signed_in_as: person } = preview;
  const accept = useMutation({
    mutationFn: async () => {
      const { account_id: id } = await api.post('/api/v1/invitations/accept', { body: { token } });
      await loadPage(addressOfAccount(id));
    },
  });
  const signOut = useMutation({ mutationFn: () => api.delete('/api/v1/session'), onSuccess: onSignedOut });
  if (person && !person.is_invited)
    return (
      <>
        <Notice tone="warning">{texts.otherPerson(email, person.email ?? person.name)}</Notice>
        {signOut.error && <ErrorNotice error={signOut.error} />}
        <div className="row">
          <Button variant="primary" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
            {texts.signOut}
          </Button>
          <LinkButton href="/">{texts.toDashboard}</LinkButton>
        </div>
      </>
    );
  return (
    <>
      {!person && <p className="muted">{texts.newPerson}</p>}
      {accept.error && <ErrorNotice error={accept.error} />}
      <div className="row">
        <Button variant="primary" isPending={accept.isPending} onPress={() => accept.mutate()}>
          {person ? texts.acceptAs(person.name) : texts.accept}
        </Button>
        {!person && <LinkButton href="/sign-in">{texts.signInFirst}</LinkButton>}
      </div>
    </>
  );
};

/** Where the link of an invitation leads. */
export const InvitationPage = (): ReactElement => {
  const token = useToken();
  const { data, error, isPending, refetch } = useQuery({
    // The id of the link. What follows the dot is secret.
    queryKey: ['invitation', token.split('.')[0]],
    queryFn: () => api.post('/api/v1/invitations/preview', { body: { token } }),
    enabled: token !== '',
    retry: false,
    gcTime: 0,
  });
  return (
    <main className="sign-in">
      <Logo />
      <div className="card stack">
        <PageHeader title={texts.title} />
        {token === '' && <Notice tone="danger">{texts.missing}</Notice>}
        {token !== '' && isPending && <Loading />}
        {error && <ErrorNotice error={error} />}
        {data && (
          <>
            <p>{texts.text(data.account_name, strings.roles[data.role])}</p>
            <FieldList
              values={{
                [texts.forEmail]: data.email,
                [strings.people.expires]: <Time time={data.expires_at} />,
              }}
            />
            <Choices key={token} preview={data} token={token} onSignedOut={() => void refetch()} />
          </>
        )}
      </div>
    </main>
  );
};
