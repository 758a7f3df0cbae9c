import type { ReactElement, ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';

export type TabItem = { id: string; title: ReactNode; content: ReactNode };

type TabsProps = { label: string; tabs: readonly TabItem[]; selected?: string; onSelect?: (id: string) => void };

/** Several views of one thing; only the chosen one is in the page. */
export const Tabs = ({ label, tabs, selected, onSelect }: TabsProps): ReactElement => (
  <AriaTabs
    className="tabs"
    {...(selected === undefined ? {} : { selectedKey: selected })}
    {...(onSelect && { onSelectionChange: (key) => onSelect(String(key)) })}
  >
    <TabList aria-label={label} className="tab-list">
      {tabs.map(({ id, title }) => (
        <Tab key={id} id={id} className="tab">
          {title}
        </Tab>
      ))}
    </TabList>
    {tabs.map(({ id, content }) => (
      <TabPanel key={id} id={id} className="tab-panel">
        {content}
      </TabPanel>
    ))}
  </AriaTabs>
);
