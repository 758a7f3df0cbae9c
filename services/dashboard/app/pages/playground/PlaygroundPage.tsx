import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { preparePdfPassword } from '#contracts/http/pdf-password.ts';
import { fieldErrorsOf } from '../../api/api-error.ts';
import { requestRaw } from '../../api/client.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { CodeTabs } from '../../components/CodeBlock.tsx';
import { type KeyHandler, optionsOf, Select } from '../../components/fields.tsx';
import { Form } from '../../components/Form.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { RenderOptionFields } from '../../components/RenderOptionFields.tsx';
import { countSet, type RenderOptionValues } from '../../components/option-values.ts';
import { SetOptions } from '../../components/OptionGroups.tsx';
import { strings } from '../../strings/strings.ts';
import '../../styles/playground.css';
import { type RenderedDocument, RenderResult } from './RenderResult.tsx';
import { newPart, PartsInput } from './PartsInput.tsx';
import {
  bodyOf,
  callOf,
  type Contents,
  type InputType,
  inputTypes,
  type Part,
  type PlaygroundRequest,
  typeOfFile,
} from './request.ts';
import { samplesOf } from './samples.ts';
import { SourceInput } from './SourceInput.tsx';

const texts = strings.playground;
const kinds = inputTypes.map((value) => ({ value, label: texts.inputTypes[value] }));
const modes = optionsOf(texts.modes);
const isSample = (text: string): boolean => Object.values(texts.sample).includes(text);

const send = async (request: PlaygroundRequest): Promise<RenderedDocument> =>
  (await (await requestRaw('POST', '/api/v1/render', { body: bodyOf(callOf(request)) })).json()) as RenderedDocument;

const isComplete = (request: PlaygroundRequest): boolean =>
  (request.mode === 'CONVERT' ? [request.source] : request.parts).every(
    ({ file, text }) => file !== null || text.trim() !== '',
  );

const passwordOf = (request: PlaygroundRequest | undefined): string | undefined => {
  const encryption = request?.options['encryption'] as { user_password?: string } | undefined;
  return encryption?.user_password === undefined ? undefined : preparePdfPassword(encryption.user_password);
};

/** Makes a PDF from any input, with any options, and shows the same call as a program. */
export const PlaygroundPage = (): ReactElement => {
  const [mode, setMode] = useState<PlaygroundRequest['mode']>('CONVERT');
  const [inputType, setInputType] = useState<InputType>('markdown');
  const [text, setText] = useState(texts.sample.markdown);
  const [file, setFile] = useState<File | null>(null);
  const [parts, setParts] = useState(() => [newPart('markdown'), newPart('html')] as readonly Part[]);
  const [contents, setContents] = useState<Contents | null>(null);
  const [options, setOptions] = useState<RenderOptionValues>({});
  const denialReason = useDenialReason('render:create');
  const render = useMutation({ mutationFn: send });
  const source = { type: inputType, text, file };
  const request: PlaygroundRequest =
    mode === 'CONVERT' ? { mode, source, options } : { mode, parts, contents, options };
  const isReady = denialReason === null && isComplete(request);
  const errors = fieldErrorsOf(render.error);

  const chooseType = (type: InputType): void => {
    setInputType(type);
    if (isSample(text)) setText(texts.sample[type]);
  };
  const chooseFile = (chosen: File | null): void => {
    setFile(chosen);
    const type = chosen && typeOfFile(chosen.name);
    if (type && type !== 'pdf') setInputType(type);
  };
  const start = (): void => {
    if (isReady) render.mutate(request);
  };
  const startByKey: KeyHandler = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start();
    else event.continuePropagation();
  };

  return (
    <>
      <PageHeader title={strings.pages.playground} text={texts.text} />
      <div className="playground">
        <Form className="stack" onSubmit={start}>
          <Select label={texts.mode} value={mode} options={modes} onChange={setMode} />
          {mode === 'CONVERT' ? (
            <>
              <Select label={texts.inputType} value={inputType} options={kinds} onChange={chooseType} />
              <SourceInput
                source={source}
                error={errors['data']}
                onText={setText}
                onKeyDown={startByKey}
                onFile={chooseFile}
              />
            </>
          ) : (
            <PartsInput
              parts={parts}
              contents={contents}
              errors={errors}
              onParts={setParts}
              onContents={setContents}
              onKeyDown={startByKey}
            />
          )}
          <details className="card playground-options">
            <summary>
              <span>{texts.options}</span>
              <SetOptions count={countSet(options, Object.keys(options))} />
            </summary>
            <RenderOptionFields options={options} onChange={setOptions} errors={errors} hasEncryption />
          </details>
          <div className="row playground-start">
            <Button variant="primary" type="submit" isPending={render.isPending} disabledReason={denialReason}>
              {texts.render}
            </Button>
            <span className="small muted">{denialReason ?? texts.renderHint}</span>
          </div>
        </Form>
        <RenderResult
          rendered={render.data}
          error={render.error}
          isRendering={render.isPending}
          password={passwordOf(render.variables)}
        />
      </div>
      <section className="stack" aria-labelledby="playground-code">
        <h2 id="playground-code">{texts.codeTitle}</h2>
        <p className="muted">{texts.codeText}</p>
        <CodeTabs samples={samplesOf(request, window.location.origin)} label={texts.codeTitle} />
      </section>
    </>
  );
};
