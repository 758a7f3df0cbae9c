import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const highlighting = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword], color: 'var(--code-tag)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--code-name)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.unit, tags.color], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.documentMeta], color: 'var(--text-2)', fontStyle: 'italic' },
  { tag: [tags.className, tags.labelName], color: 'var(--code-name)' },
  { tag: [tags.angleBracket, tags.punctuation, tags.bracket], color: 'var(--text-2)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--text-sm)', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--surface-2) 55%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--focus) 28%, transparent) !important',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--surface-3) !important', outline: '1px solid var(--border-control)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius-sm)',
    boxShadow: 'var(--shadow-lg)',
  },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem !important' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent) !important',
    color: 'var(--on-accent) !important',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.85', fontStyle: 'normal', marginLeft: '0.75rem' },
  '.cm-completionInfo': { padding: '0.4rem 0.6rem', maxWidth: '20rem' },
  '.cm-panels': { backgroundColor: 'var(--surface-2)', color: 'var(--text)' },
  '.cm-panels input, .cm-panels button': { fontFamily: 'var(--font)', minHeight: '24px' },
  '.cm-panels button': { backgroundImage: 'none', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-textfield': { backgroundColor: 'var(--surface)', color: 'var(--text)', borderColor: 'var(--border-control)' },
  '.cm-diagnostic': { padding: '0.35rem 0.6rem' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warning)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)', outline: '1px solid var(--warning)' },
  '.cm-changedLine': { backgroundColor: 'color-mix(in srgb, var(--warning) 8%, transparent) !important' },
  '.cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--warning) 32%, transparent) !important',
  },
  // The colours of the syntax have too little contrast on this background.
  '.cm-changedText, .cm-changedText *, .cm-deletedText, .cm-deletedText *': { color: 'var(--text) !important' },
  '.cm-collapsedLines': { background: 'var(--surface-2)', color: 'var(--text-2)' },
  '.hbs-placeholder': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 11%, transparent)',
    borderRadius: '3px',
    color: 'var(--text)',
  },
  '.hbs-placeholder .hbs-keyword, .hbs-keyword': { color: 'var(--code-tag)', fontWeight: '600' },
  '.hbs-helper': { color: 'var(--link)', fontWeight: '600' },
  '.hbs-string': { color: 'var(--code-string)' },
  '.hbs-number': { color: 'var(--code-number)' },
  '.hbs-special': { color: 'var(--code-name)' },
  '.hbs-comment': { color: 'var(--text-2)', fontStyle: 'italic' },
});

/** The nonce that the Content-Security-Policy asks of style elements. */
const nonce = (): string => document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';

/** Colours of the dashboard in both schemes. */
export const editorTheme = () => [theme, syntaxHighlighting(highlighting), EditorView.cspNonce.of(nonce())];
