import { type ReactElement, useEffect, useRef } from 'react';
import { html } from '@codemirror/lang-html';
import { json } from '@codemirror/lang-json';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { editorTheme } from '../editor/editor-theme.ts';
import { placeholderHighlighting } from '../editor/placeholders.ts';

export type SourceDiffProps = {
  older: string;
  newer: string;
  olderLabel: string;
  newerLabel: string;
  language: 'html' | 'json';
};

const collapsed = { margin: 3, minSize: 6 };
/** A text that takes longer to compare is compared roughly. */
const diffConfig = { scanLimit: 2_000, timeout: 500 };
/** Below this width there is no room for two texts. */
const narrow = window.matchMedia('(width < 48rem)');

const readOnly = (label: string, language: SourceDiffProps['language']): Extension => [
  language === 'html' ? [html(), placeholderHighlighting] : json(),
  lineNumbers(),
  EditorView.lineWrapping,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', role: 'textbox', 'aria-readonly': 'true' }),
  editorTheme(),
];

/** Two texts side by side with their differences; in a narrow window as one text. */
export const SourceDiff = ({ older, newer, olderLabel, newerLabel, language }: SourceDiffProps): ReactElement => {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = narrow.matches
      ? new EditorView({
          parent: parent.current!,
          doc: newer,
          extensions: [
            readOnly(newerLabel, language),
            unifiedMergeView({ original: older, mergeControls: false, collapseUnchanged: collapsed, diffConfig }),
          ],
        })
      : new MergeView({
          parent: parent.current!,
          a: { doc: older, extensions: readOnly(olderLabel, language) },
          b: { doc: newer, extensions: readOnly(newerLabel, language) },
          collapseUnchanged: collapsed,
          diffConfig,
        });
    return () => view.destroy();
  }, [older, newer, olderLabel, newerLabel, language]);
  return <div className="source-diff" ref={parent} />;
};
