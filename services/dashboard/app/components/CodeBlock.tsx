import { type ReactElement, type ReactNode, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { CopyButton } from './CopyButton.tsx';

// A scrollable region must be reachable by keyboard.
const Code = ({ children }: { children: ReactNode }): ReactElement => (
  <pre className="code-text" tabIndex={0}>
    <code>{children}</code>
  </pre>
);

type CodeBlockProps = { code: string; className?: string; children?: ReactNode };

/** Code to copy. `children` shows it in another way than as text. */
export const CodeBlock = ({ code, className = '', children = code }: CodeBlockProps): ReactElement => (
  <div className={`code code-single ${className}`}>
    <Code>{children}</Code>
    <CopyButton text={code} />
  </div>
);

export type CodeSample = { name: string; code: string };

/** Code to copy with a tab for each language. The chosen language is kept while the page is open. */
export const CodeTabs = ({ samples, label }: { samples: readonly CodeSample[]; label: string }): ReactElement => {
  const [name, setName] = useState(samples[0]!.name);
  const chosen = samples.find((sample) => sample.name === name) ?? samples[0]!;
  return (
    <Tabs className="code" selectedKey={chosen.name} onSelectionChange={(key) => setName(String(key))}>
      <div className="code-bar">
        <TabList aria-label={label} className="code-tabs">
          {samples.map((sample) => (
            <Tab key={sample.name} id={sample.name} className="code-tab">
              {sample.name}
            </Tab>
          ))}
        </TabList>
        <CopyButton text={chosen.code} />
      </div>
      {samples.map((sample) => (
        <TabPanel key={sample.name} id={sample.name}>
          <Code>{sample.code}</Code>
        </TabPanel>
      ))}
    </Tabs>
  );
};
