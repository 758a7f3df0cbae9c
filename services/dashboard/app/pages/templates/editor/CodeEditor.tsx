import { type ReactElement, useEffect, useEffectEvent, useRef } from 'react';
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { forceLinting, lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { editorTheme } from './editor-theme.ts';

export type CodeEditorProps = {
  value: string;
  onChange: (value: string) => void;
  /** The name for screen readers. */
  label: string;
  isReadOnly: boolean;
  /** Language, completion and checks; those of the first time stay. */
  extensions: () => Extension;
  /** Checks again when this changes. */
  checkedWith?: unknown;
};

/** The keys, gutters and history of every editor. */
const basics = (): Extension => [
  lineNumbers(),
  foldGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  drawSelection(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ icons: false }),
  highlightSelectionMatches(),
  lintGutter(),
  // Escape, then Tab leaves the editor; CodeMirror does so by itself.
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...lintKeymap,
    ...defaultKeymap,
    indentWithTab,
  ]),
  EditorView.lineWrapping,
];

/** A code editor. */
export const CodeEditor = (props: CodeEditorProps): ReactElement => {
  const { value, label, isReadOnly, checkedWith } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const onChange = useEffectEvent(props.onChange);
  useEffect(() => {
    const editor = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          basics(),
          editorTheme(),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          isReadOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
          // Not editable, it would not be in the order of focus, and could not be scrolled by keyboard.
          isReadOnly
            ? EditorView.contentAttributes.of({ tabindex: '0', role: 'textbox', 'aria-readonly': 'true' })
            : [],
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange(update.state.doc.toString());
          }),
          props.extensions(),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [isReadOnly, label]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && view.current) forceLinting(view.current);
    isFirst.current = false;
  }, [checkedWith]);
  return <div className="code-editor" ref={parent} />;
};
