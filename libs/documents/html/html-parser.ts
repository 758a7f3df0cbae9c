import { defaultTreeAdapter, type DefaultTreeAdapterMap, Parser, type ParserOptions, type Token } from 'parse5';

type HtmlParser = Parser<DefaultTreeAdapterMap>;

/**
 * The context of a tag. Content of a template is not loaded. Inside a select the parser drops some tags that newer
 * browsers keep. `stylesBefore` is the number of style elements up to the tag.
 */
export type TagContext = { inTemplate: boolean; inSelect: boolean; stylesBefore: number };

export type ParseHandlers = {
  /** Called for every start tag after it is processed, even if it does not become an element. */
  onTag: (tag: Token.TagToken, context: TagContext, parser: HtmlParser) => void;
  /** Called before every element is created, including implied ones. */
  onElement?: () => void;
  /** Called with the code of every parse error, and with `eof-in-bogus-comment` and that comment. */
  onError: (code: string, parser: HtmlParser, comment?: Token.CommentToken) => void;
};

/**
 * A parser that calls handlers. Its methods are not replaced by closures, and it collects the style elements itself: a
 * closure that refers to the parser or to the tree keeps both in memory until V8's next full collection.
 */
class ObservedParser extends Parser<DefaultTreeAdapterMap> {
  readonly handlers: ParseHandlers;
  readonly styles: DefaultTreeAdapterMap['element'][] = [];
  private selectModes: number[] = [];

  constructor(handlers: ParseHandlers, options: ParserOptions<DefaultTreeAdapterMap>) {
    super(options);
    this.handlers = handlers;
    // As an option it would turn on the slow positions.
    this.onParseError = reportParseError;
  }

  override onStartTag(tag: Token.TagToken): void {
    const context = {
      inTemplate: this.tmplInsertionModeStack.length > 0,
      inSelect: this.selectModes.includes(this.insertionMode),
      stylesBefore: 0,
    };
    const parent = this.openElements.current;
    super.onStartTag(tag);
    if (tag.tagName === 'select' && !context.inSelect)
      this.selectModes = [...new Set([...this.selectModes, this.insertionMode])];
    const { current } = this.openElements;
    if (tag.tagName === 'style' && current !== parent && current && 'tagName' in current && current.tagName === 'style')
      this.styles.push(current);
    context.stylesBefore = this.styles.length;
    this.handlers.onTag(tag, context, this);
  }

  // The HTML standard has no error for the end of the input in something like `<?php`, which it reads as a comment.
  override onComment(token: Token.CommentToken): void {
    super.onComment(token);
    const { pos, html } = this.tokenizer.preprocessor;
    if (pos >= html.length) this.handlers.onError('eof-in-bogus-comment', this, token);
  }
}

const reportParseError = function (this: ObservedParser, { code }: { code: string }): void {
  this.handlers.onError(code, this);
};

/**
 * Parses by the HTML standard and returns the document tree with its style elements. `positions` gives tags a `location`,
 * and takes longer. A handler must not keep the parser or a part of the tree.
 */
export const parseWithHandlers = (
  html: string,
  positions: boolean,
  handlers: ParseHandlers,
): { document: HtmlParser['document']; styles: readonly DefaultTreeAdapterMap['element'][] } => {
  const createElement: typeof defaultTreeAdapter.createElement = (tagName, namespace, attributes) => {
    handlers.onElement?.();
    return defaultTreeAdapter.createElement(tagName, namespace, attributes);
  };
  const parser = new ObservedParser(handlers, {
    sourceCodeLocationInfo: positions,
    treeAdapter: { ...defaultTreeAdapter, createElement },
  });
  parser.tokenizer.write(html, true);
  return { document: parser.document, styles: parser.styles };
};
