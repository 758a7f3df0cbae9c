import type { ReactElement, ReactNode } from 'react';
import { useSession } from '../../api/session.ts';
import { Notice } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { strings } from '../../strings/strings.ts';

/** Tells others that a page is for operators. The API refuses them, too. */
export const OperatorsOnly = ({ children }: { children: ReactNode }): ReactElement => {
  const { data } = useSession();
  if (data?.person.operator) return <>{children}</>;
  return (
    <>
      <PageHeader title={strings.operator.forbiddenTitle} />
      <Notice tone="warning">{strings.operator.forbidden}</Notice>
    </>
  );
};
