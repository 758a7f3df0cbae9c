import { type ReactElement, useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { TemplateResponse } from '#contracts/http/template-responses.ts';
import { ApiError, fieldErrorsOf } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useDenialReason, usePermission } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { useFilters } from '../../components/FilterBar.tsx';
import { Id } from '../../components/Id.tsx';
import { ActionMenu, type MenuAction } from '../../components/Menu.tsx';
import { EmptyState, ErrorNotice, Loading, Notice } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import '../../styles/templates.css';
import { changeDraft, changedFields, fieldList, setEditing, useEditing } from './draft.ts';
import { TemplateEditor } from './editor/TemplateEditor.tsx';
import { SaveDialog } from './SaveDialog.tsx';
import { DeleteDialog, DuplicateDialog } from './template-dialogs.tsx';
import { VersionsPanel } from './versions/VersionsPanel.tsx';

const texts = strings.templates.page;
const parent = { href: '/templates', title: strings.pages.templates };
type OpenDialog = 'save' | 'duplicate' | 'delete' | null;

const Loaded = ({ template }: { template: TemplateResponse }): ReactElement => {
  const [search, setSearch] = useFilters();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [saveError, setSaveError] = useState<unknown>(null);
  const denialReason = useDenialReason('templates:write');
  const canWrite = denialReason === null;
  const canDelete = usePermission('templates:delete');
  const editing = useEditing(template);
  const changed = changedFields(editing.base, editing.draft);
  const { id } = template;
  const close = (): void => setDialog(null);
  const actions: MenuAction[] = [
    {
      id: 'duplicate',
      title: texts.duplicate,
      icon: 'copy',
      isDisabled: !canWrite,
      onAction: () => setDialog('duplicate'),
    },
    {
      id: 'delete',
      title: texts.delete,
      icon: 'trash',
      isDangerous: true,
      isDisabled: !canDelete,
      onAction: () => setDialog('delete'),
    },
  ];
  const errors = fieldErrorsOf(saveError);
  return (
    <div className="template-page">
      <PageHeader
        title={template.name}
        parent={parent}
        badge={<Badge tone="info">{strings.templates.list.version(template.version)}</Badge>}
        text={
          <span className="template-facts">
            <Id id={id} withoutLink />
            <span>
              {texts.usage(template.usage_count)}
              {template.last_used_at && (
                <>
                  {' · '}
                  <Time time={template.last_used_at} format="relative" />
                </>
              )}
            </span>
          </span>
        }
        actions={
          <>
            {changed.length > 0 && (
              <p className="unsaved small" title={texts.unsavedText}>
                <strong>{texts.unsaved}</strong> {fieldList(changed)}
              </p>
            )}
            {changed.length > 0 && (
              <Button variant="quiet" onPress={() => setEditing(id, { ...editing, draft: editing.base })}>
                {texts.discard}
              </Button>
            )}
            <Button
              variant="primary"
              icon="check"
              isDisabled={changed.length === 0}
              disabledReason={denialReason}
              onPress={() => setDialog('save')}
            >
              {texts.save}
            </Button>
            <ActionMenu label={texts.moreActions} actions={actions} />
          </>
        }
      />
      {!canWrite && <Notice tone="info">{texts.readOnly}</Notice>}
      <Tabs
        label={template.name}
        selected={search['tab'] === 'versions' ? 'versions' : 'editor'}
        onSelect={(tab) => setSearch({ tab: tab === 'versions' ? tab : '' })}
        tabs={[
          {
            id: 'editor',
            title: texts.editor,
            content: (
              <TemplateEditor
                template={template}
                draft={editing.draft}
                onChange={(changes) => changeDraft(id, changes)}
                isReadOnly={!canWrite}
                errors={errors}
              />
            ),
          },
          { id: 'versions', title: texts.versions, content: <VersionsPanel template={template} /> },
        ]}
      />
      {dialog === 'save' && <SaveDialog id={id} editing={editing} onClose={close} onError={setSaveError} />}
      {dialog === 'duplicate' && <DuplicateDialog template={template} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog template={template} onClose={close} />}
    </div>
  );
};

/** One template: its editor and its versions. */
export const TemplatePage = (): ReactElement => {
  const { templateId } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: ['templates', templateId, 'current'],
    queryFn: ({ signal }) =>
      api.get('/api/v1/templates/{template_id}', { params: { template_id: templateId! }, signal }),
  });
  if (data) return <Loaded key={data.id} template={data} />;
  if (error instanceof ApiError && error.error === 'template_not_found')
    return (
      <>
        <PageHeader title={texts.notFoundTitle} parent={parent} />
        <EmptyState icon="templates" title={templateId!} text={texts.notFoundText} />
      </>
    );
  return (
    <>
      <PageHeader title={texts.title} parent={parent} />
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Loading />}
    </>
  );
};
