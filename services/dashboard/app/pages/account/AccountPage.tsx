import type { ReactElement } from 'react';
import { useSession } from '../../api/session.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { strings } from '../../strings/strings.ts';
import { PasskeyList } from './PasskeyList.tsx';
import { SessionList } from './SessionList.tsx';

/** The own sessions and passkeys. */
export const AccountPage = (): ReactElement => {
  const { data } = useSession();
  return (
    <>
      <PageHeader title={strings.account.title} {...(data && { text: strings.account.signedInAs(data.person.name) })} />
      <div className="stack-lg narrow">
        <SessionList />
        <PasskeyList />
      </div>
    </>
  );
};
