import { type ReactElement, useState } from 'react';
import type { SessionListResponse } from '#contracts/http/session.ts';
import { api } from '../../api/client.ts';
import { useCursorList } from '../../api/cursor-list.ts';
import { Button } from '../../components/Button.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { ConfirmDialog } from '../../components/FormDialog.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { showToast } from '../../components/Toast.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const firstMatch = (rules: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  rules.find(([pattern]) => pattern.test(text))?.[1];

/** The browser and system of a session, by its User-Agent. */
const deviceOf = (userAgent: string | null): string => {
  const browser = firstMatch(browsers, userAgent ?? '');
  const system = firstMatch(systems, userAgent ?? '');
  if (browser && system) return strings.account.onSystem(browser, system);
  return browser ?? system ?? userAgent?.slice(0, 60) ?? strings.account.unknownDevice;
};

const texts = strings.account;
type Session = SessionListResponse['sessions'][number];

const columnsFor = (onRevoke: (session: Session) => void): Column<Session>[] => [
  {
    key: 'device',
    header: texts.device,
    width: 'minmax(8rem, 2fr)',
    cell: ({ user_agent: agent, current }) => (
      <span className="person">
        <span className="person-name">{deviceOf(agent)}</span>
        {current && <Badge tone="info">{texts.thisSession}</Badge>}
      </span>
    ),
  },
  {
    key: 'method',
    header: texts.method,
    width: '7.5rem',
    isHiddenOnPhone: true,
    cell: ({ method }) => texts.methods[method],
  },
  {
    key: 'started',
    header: texts.started,
    width: 'var(--time-column)',
    isHiddenOnTablet: true,
    cell: ({ started_at: time }) => <Time time={time} />,
  },
  {
    key: 'used',
    header: texts.lastUsed,
    width: '6rem',
    isHiddenOnPhone: true,
    cell: ({ last_used_at: time }) => <Time time={time} format="relative" />,
  },
  {
    key: 'actions',
    header: '',
    width: '6rem',
    align: 'end',
    cell: (session) =>
      session.current ? null : (
        <Button
          size="small"
          aria-label={`${texts.revoke} ${deviceOf(session.user_agent)}`}
          onPress={() => onRevoke(session)}
        >
          {texts.revoke}
        </Button>
      ),
  },
];

const RevokeDialog = ({ chosen, onClose }: { chosen: Session | 'others'; onClose: () => void }): ReactElement => {
  const isOne = chosen !== 'others';
  const revoke = async (): Promise<void> => {
    const { revoked } = isOne
      ? await api.delete('/api/v1/session/sessions/{session_id}', { params: { session_id: chosen.id } })
      : await api.delete('/api/v1/session/sessions');
    showToast({ title: texts.revoked(revoked) });
  };
  return (
    <ConfirmDialog
      title={isOne ? texts.revokeTitle : texts.revokeOthersTitle}
      confirmText={isOne ? texts.revoke : texts.revokeOthers}
      isDangerous
      onConfirm={revoke}
      changes={['own-sessions']}
      onClose={onClose}
    >
      <p>{isOne ? texts.revokeText(deviceOf(chosen.user_agent)) : texts.revokeOthersText}</p>
    </ConfirmDialog>
  );
};

/** The sessions of the person, with a way to end them. */
export const SessionList = (): ReactElement => {
  const [chosen, setChosen] = useState<Session | 'others' | null>(null);
  const list = useCursorList(['own-sessions'], 'sessions', (cursor, signal) =>
    api.get('/api/v1/session/sessions', { query: { cursor, limit: 100 }, signal }),
  );
  return (
    <section className="stack" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{texts.sessions}</h2>
      <p className="muted">{texts.sessionsText}</p>
      <DataTable
        {...list}
        label={texts.sessions}
        columns={columnsFor(setChosen)}
        rowKey={({ id }) => id}
        empty={null}
      />
      {list.rows.length > 1 && (
        <div className="row">
          <Button variant="danger" onPress={() => setChosen('others')}>
            {texts.revokeOthers}
          </Button>
        </div>
      )}
      {chosen && <RevokeDialog chosen={chosen} onClose={() => setChosen(null)} />}
    </section>
  );
};
