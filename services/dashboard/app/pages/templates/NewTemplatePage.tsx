import { type ReactElement, useState } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { createTemplateRequest } from '#contracts/http/templates.ts';
import type { z } from 'zod';
import { fieldErrorsOf } from '../../api/api-error.ts';
import { api, requestBlob } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { useDenialReason, usePermission } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { TextField } from '../../components/fields.tsx';
import { Form } from '../../components/Form.tsx';
import { ErrorNotice, Notice, Skeleton } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { showToast } from '../../components/Toast.tsx';
import { useGoTo } from '../../layout/use-navigation.ts';
import { strings } from '../../strings/strings.ts';
import '../../styles/templates.css';
import '../../styles/new-template.css';
import { Thumbnail } from './Thumbnail.tsx';

const texts = strings.templates.create;
type NewTemplate = Omit<z.input<typeof createTemplateRequest>, 'name'>;
type Start = { key: string; title: string; text: string; template: NewTemplate };

const scratch: Start = {
  key: 'scratch',
  title: texts.scratch,
  text: texts.scratchText,
  template: {
    content: `<!doctype html>
<html lang="{{@locale}}">
<head>
  <meta charset="utf-8">
  <title>{{title}}</title>
  <style>
    body { font-family: sans-serif; color: #1c2127; }
    h1 { font-size: 20pt; }
  </style>
</head>
<body>
  <h1>{{title}}</h1>
  {{#each items}}
  <p>{{this.name}}: {{formatCurrency this.price "EUR"}}</p>
  {{/each}}
</body>
</html>
`,
    category: 'other',
    variables: [
      { name: 'title', type: 'string', required: true },
      { name: 'items', type: 'array', required: true },
    ],
    default_options: { page_size: 'A4' },
    sample_data: { title: 'My first template', items: [{ name: 'Paper', price: 4.2 }] },
  },
};

const previewOf = ({ content, variables, default_options, labels, sample_data }: NewTemplate, signal: AbortSignal) =>
  requestBlob(
    '/api/v1/templates/preview',
    {
      body: { content, variables, default_options, labels, data: sample_data },
      headers: { accept: 'application/pdf' },
      signal,
    },
    'POST',
  );

/** A new template, from scratch or from one of the delivered examples. */
export const NewTemplatePage = (): ReactElement => {
  const goTo = useGoTo();
  const denialReason = useDenialReason('templates:write');
  const canWrite = denialReason === null;
  const canRender = usePermission('render:create');
  const { data, error } = useQuery({
    queryKey: ['template-examples'],
    queryFn: ({ signal }) => api.get('/api/v1/templates/examples', { signal }),
    staleTime: Infinity,
  });
  const [chosen, setChosen] = useState('scratch');
  const [name, setName] = useState('');
  const starts: Start[] = [
    scratch,
    ...(data?.examples ?? []).map(({ example, name: title, ...template }) => ({
      key: example,
      title,
      text: template.description ?? '',
      template: template as NewTemplate,
    })),
  ];
  const create = useMutation({
    mutationFn: async () => {
      const { template } = starts.find(({ key }) => key === chosen)!;
      const { id } = await api.post('/api/v1/templates', { body: { ...template, name } });
      await reload('templates');
      showToast({ title: texts.created });
      goTo(`/templates/${id}`);
    },
  });
  const fieldErrors = fieldErrorsOf(create.error);
  return (
    <>
      <PageHeader
        title={texts.title}
        text={texts.text}
        parent={{ href: '/templates', title: strings.pages.templates }}
      />
      {!canWrite && <Notice tone="info">{strings.templates.page.readOnly}</Notice>}
      {error && <ErrorNotice error={error} />}
      <Form className="stack" onSubmit={() => create.mutate()}>
        <RadioGroup className="stack-sm" value={chosen} onChange={setChosen}>
          <Label className="field-label">{texts.start}</Label>
          <div className="template-cards start-cards">
            {starts.map(({ key, title, text, template }) => (
              <Radio key={key} value={key} className="card template-card start-card">
                <Thumbnail name={title} load={canRender ? (signal) => previewOf(template, signal) : null} />
                <span className="template-card-text">
                  <span className="start-title">{title}</span>
                  <span className="small muted">{text}</span>
                </span>
              </Radio>
            ))}
            {!data && !error && (
              <div className="card">
                <Skeleton lines={6} />
              </div>
            )}
          </div>
        </RadioGroup>
        <div className="add-row">
          <TextField label={texts.name} value={name} onChange={setName} error={fieldErrors['name']} isRequired />
          <Button
            type="submit"
            variant="primary"
            isPending={create.isPending}
            isDisabled={name.trim() === ''}
            disabledReason={denialReason}
          >
            {texts.create}
          </Button>
        </div>
        {create.error && fieldErrors['name'] === undefined && <ErrorNotice error={create.error} />}
      </Form>
    </>
  );
};
