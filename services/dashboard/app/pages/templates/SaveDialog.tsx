import { type ReactElement, Suspense, useState } from 'react';
import { lazyComponent } from '../../api/load-code.ts';
import type { TemplateResponse, TemplateVersionEntry } from '#contracts/http/template-responses.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Loading, Notice } from '../../components/notices.tsx';
import { showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { bodyOf, changedFields, draftOf, type Editing, fieldList, setEditing } from './draft.ts';

const texts = strings.templates.save;
const SourceDiff = lazyComponent(() => import('./versions/SourceDiff.tsx'), 'SourceDiff');

/** What others saved since the draft began. */
type Conflict = { template: TemplateResponse; versions: TemplateVersionEntry[] };

const findConflict = async (id: string, base: number): Promise<Conflict> => {
  const params = { template_id: id };
  const [template, { versions }] = await Promise.all([
    api.get('/api/v1/templates/{template_id}', { params }),
    api.get('/api/v1/templates/{template_id}/versions', { params }),
  ]);
  return { template, versions: versions.filter(({ version }) => version > base) };
};

const ConflictNotice = ({ conflict, editing }: { conflict: Conflict; editing: Editing }): ReactElement => {
  const [isCompared, setCompared] = useState(false);
  const theirs = draftOf(conflict.template);
  return (
    <>
      <Notice tone="warning" title={texts.conflictTitle}>
        <p>{texts.conflictText(editing.version, conflict.template.version)}</p>
        <ul>
          {conflict.versions.map(({ version, changes }) => (
            <li key={version}>
              {strings.templates.versions.number(version)}: {changes}
            </li>
          ))}
        </ul>
        <p>{texts.differing(fieldList(changedFields(theirs, editing.draft)) || strings.common.none)}</p>
      </Notice>
      {isCompared ? (
        <Suspense fallback={<Loading />}>
          <SourceDiff
            older={theirs.content}
            newer={editing.draft.content}
            olderLabel={texts.theirs}
            newerLabel={texts.mine}
            language="html"
          />
        </Suspense>
      ) : (
        <Button onPress={() => setCompared(true)}>{texts.compare}</Button>
      )}
    </>
  );
};

type SaveDialogProps = { id: string; editing: Editing; onClose: () => void; onError: (error: unknown) => void };

/** Saves the draft as a new version. If somebody else was faster, it says what changed and asks. */
export const SaveDialog = ({ id, editing, onClose, onError }: SaveDialogProps): ReactElement => {
  const [changes, setChanges] = useState('');
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const { draft, base, version } = editing;
  const expected = conflict?.template.version ?? version;
  const finish = async (stored: Editing | null): Promise<void> => {
    setEditing(id, stored);
    await reload('templates');
    onClose();
  };
  const save = async (): Promise<void> => {
    try {
      // Only what changed here, so that fields that somebody else changed stay.
      const body = { ...bodyOf(draft, changedFields(base, draft)), ...(changes.trim() === '' ? {} : { changes }) };
      const saved = await api.put('/api/v1/templates/{template_id}', {
        params: { template_id: id },
        body,
        headers: { 'if-match': String(expected) },
      });
      onError(null);
      showToast({ title: texts.saved(saved.version) });
      await finish(conflict ? null : { version: saved.version, base: draft, draft });
    } catch (reason) {
      if (reason instanceof ApiError && reason.error === 'version_conflict')
        return setConflict(await findConflict(id, version));
      onError(reason);
      throw reason;
    }
  };
  return (
    <FormDialog
      title={texts.title}
      onClose={onClose}
      size={conflict ? 'large' : 'medium'}
      submitText={conflict ? texts.overwrite(expected + 1) : texts.save}
      onSubmit={save}
      isCancelFocused={conflict !== null}
      otherActions={conflict && <Button onPress={() => void finish(null)}>{texts.takeTheirs}</Button>}
    >
      {() => (
        <>
          {conflict ? <ConflictNotice conflict={conflict} editing={editing} /> : <p>{texts.text(expected + 1)}</p>}
          {/* A conflict takes the focus out of the field: pressing Enter twice must not overwrite a version. */}
          <TextField
            key={conflict?.template.version}
            label={texts.changes}
            description={texts.changesDefault}
            value={changes}
            onChange={setChanges}
            isOptional
            autoFocus={conflict === null}
          />
        </>
      )}
    </FormDialog>
  );
};
