import { type ReactElement, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { CopyButton } from './CopyButton.tsx';

export type CodeSample = { name: string; code: string };

const Code = ({ code }: { code: string }): ReactElement => (
  // A scrollable region must be reachable by keyboard.
  <pre className="code-text" tabIndex={0}>
    <code>{code}</code>
  </pre>
);

/** Code to copy; with several samples a tab for each language. The chosen language is kept while the page is open. */
export const CodeBlock = ({ samples, label = 'Code' }: { samples: CodeSample[]; label?: string }): ReactElement => {
  const [name, setName] = useState(samples[0]?.name ?? '');
  const chosen = samples.find((sample) => sample.name === name) ?? samples[0];
  if (samples.length <= 1)
    return (
      <div className="code code-single">
        <Code code={chosen?.code ?? ''} />
        <CopyButton text={chosen?.code ?? ''} />
      </div>
    );
  return (
    <Tabs className="code" selectedKey={chosen?.name ?? name} onSelectionChange={(key) => setName(String(key))}>
      <div className="code-bar">
        <TabList aria-label={label} className="code-tabs">
          {samples.map((sample) => (
            <Tab key={sample.name} id={sample.name} className="code-tab">
              {sample.name}
            </Tab>
          ))}
        </TabList>
        <CopyButton text={chosen?.code ?? ''} />
      </div>
      {samples.map((sample) => (
        <TabPanel key={sample.name} id={sample.name}>
          <Code code={sample.code} />
        </TabPanel>
      ))}
    </Tabs>
  );
};
