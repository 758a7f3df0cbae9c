import type { ReactElement } from 'react';
import { Notice } from '../components/notices.tsx';
import { Time } from '../components/values.tsx';
import { strings } from '../strings/strings.ts';

const texts = strings.layout;

/** Says that the account is suspended, since when and why. */
export const SuspensionNotice = ({ since, reason }: { since: string; reason: string | null }): ReactElement => (
  <div className="layout-notice">
    <Notice tone="warning" title={texts.suspendedTitle}>
      <p>
        {texts.suspendedSince} <Time time={since} />. {reason && texts.suspendedReason(reason)}
      </p>
      <p>{texts.suspendedText}</p>
    </Notice>
  </div>
);
