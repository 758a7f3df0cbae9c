import type { ReactElement } from 'react';
import { usePermission } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useDialog } from '../../components/use-dialog.ts';
import { strings } from '../../strings/strings.ts';
import { InvitationList } from './InvitationList.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { MemberList } from './MemberList.tsx';
import { RoleTexts } from './RoleTexts.tsx';

const texts = strings.people;

/** The members of the account, and who is invited. */
export const PeoplePage = (): ReactElement => {
  const mayChange = usePermission('members:write');
  const [isInviting, setInviting] = useDialog('invite', mayChange);
  const disabledReason = mayChange ? null : strings.common.lacksPermission('members:write');
  return (
    <>
      <PageHeader
        title={strings.pages.people}
        text={texts.text}
        actions={
          <Button variant="primary" icon="plus" disabledReason={disabledReason} onPress={() => setInviting(true)}>
            {texts.invite}
          </Button>
        }
      />
      <div className="stack-lg">
        <MemberList />
        <InvitationList />
        <RoleTexts />
      </div>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
};
