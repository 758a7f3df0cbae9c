import { type ReactElement, Suspense, useState } from 'react';
import { lazyComponent } from '../../../api/load-code.ts';
import { useQuery } from '@tanstack/react-query';
import type { ListedTemplateVersion, TemplateResponse } from '#contracts/http/template-responses.ts';
import { api } from '../../../api/client.ts';
import { useCursorList } from '../../../api/cursor-list.ts';
import { useDenialReason } from '../../../api/session.ts';
import { ActorName } from '../../../components/ActorName.tsx';
import { Button } from '../../../components/Button.tsx';
import { type Column, DataTable } from '../../../components/DataTable.tsx';
import { ConfirmDialog } from '../../../components/FormDialog.tsx';
import { Badge } from '../../../components/StatusBadge.tsx';
import { showToast } from '../../../components/Toast.tsx';
import { Time } from '../../../components/values.tsx';
import { strings } from '../../../strings/strings.ts';

const texts = strings.templates.versions;
const VersionDiff = lazyComponent(() => import('./VersionDiff.tsx'), 'VersionDiff');

const columnsOf = (
  current: number,
  denialReason: string | null,
  onRestore: (version: number) => void,
): Column<ListedTemplateVersion>[] => [
  {
    key: 'version',
    header: texts.version,
    width: 'minmax(7rem, 1fr)',
    cell: ({ version }) => (
      <>
        {strings.templates.list.version(version)} {version === current && <Badge tone="info">{texts.current}</Badge>}
      </>
    ),
  },
  {
    key: 'changes',
    header: texts.changes,
    width: 'minmax(8rem, 3fr)',
    isDetailOnPhone: true,
    cell: ({ changes }) => <span title={changes}>{changes}</span>,
  },
  {
    key: 'created',
    header: texts.created,
    width: 'minmax(11.5rem, 1fr)',
    isHiddenOnPhone: true,
    cell: ({ created_at: time, created_by: actor }) => (
      <>
        <Time time={time} />
        <span className="cell-detail" dir="auto">
          <ActorName actor={actor} />
        </span>
      </>
    ),
  },
  {
    key: 'restore',
    header: texts.restore,
    width: '7rem',
    align: 'end',
    cell: ({ version }) =>
      version === current ? (
        ''
      ) : (
        <Button
          size="small"
          aria-label={texts.restoreLabel(version)}
          disabledReason={denialReason}
          onPress={() => onRestore(version)}
        >
          {texts.restore}
        </Button>
      ),
  },
];

/** The versions that are kept: their history, a comparison of two, and the way back to an older one. */
export const VersionsPanel = ({ template }: { template: TemplateResponse }): ReactElement => {
  const denialReason = useDenialReason('templates:write');
  const [restored, setRestored] = useState<number | null>(null);
  const params = { template_id: template.id };
  const list = useCursorList(['templates', template.id, 'versions'], 'versions', (cursor, signal) =>
    api.get('/api/v1/templates/{template_id}/versions', { params, query: { cursor }, signal }),
  );
  const { data: account } = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => api.get('/api/v1/account', { signal }),
  });
  const restore = async (version: number): Promise<void> => {
    const response = await api.post('/api/v1/templates/{template_id}/restore', {
      params,
      body: { version },
      headers: { 'if-match': String(template.version) },
    });
    showToast({ title: texts.restored(response.version) });
  };
  return (
    <div className="stack">
      <DataTable
        {...list}
        label={texts.label}
        rowHeight={56}
        columns={columnsOf(template.version, denialReason, setRestored)}
        rowKey={({ version }) => String(version)}
        empty={null}
      />
      {account && <p className="small muted">{texts.kept(account.limits.kept_versions)}</p>}
      {list.rows.length > 1 ? (
        <Suspense>
          <VersionDiff template={template} versions={list.rows} />
        </Suspense>
      ) : (
        list.rows.length === 1 && <p className="muted">{texts.onlyOne}</p>
      )}
      {restored !== null && (
        <ConfirmDialog
          onClose={() => setRestored(null)}
          title={texts.restoreTitle(restored)}
          confirmText={texts.restore}
          onConfirm={() => restore(restored)}
          changes={['templates']}
        >
          <p>{texts.restoreText(restored, template.version + 1)}</p>
        </ConfirmDialog>
      )}
    </div>
  );
};
