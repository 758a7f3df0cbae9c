import { defaultTreeAdapter, type DefaultTreeAdapterMap, Parser, type Token } from 'parse5';

type HtmlParser = Parser<DefaultTreeAdapterMap>;

/**
 * The context of a tag. Content of a template is not loaded. Inside a select the parser drops some tags that newer
 * browsers keep.
 */
export type TagContext = { inTemplate: boolean; inSelect: boolean };

export type ParseHandlers = {
  /** Called for every start tag after it is processed, even if it does not become an element. */
  onTag: (tag: Token.TagToken, context: TagContext, parser: HtmlParser) => void;
  /** Called before every element is created, including implied ones. */
  onElement?: () => void;
  /** Called with the code of every parse error. */
  onError: (code: string, parser: HtmlParser) => void;
};

/** Parses by the HTML standard and returns the document tree. `positions` gives tags a `location`, and takes longer. */
export const parseWithHandlers = (
  html: string,
  positions: boolean,
  { onTag, onElement, onError }: ParseHandlers,
): HtmlParser['document'] => {
  const createElement: typeof defaultTreeAdapter.createElement = (tagName, namespace, attributes) => {
    onElement?.();
    return defaultTreeAdapter.createElement(tagName, namespace, attributes);
  };
  const parser: HtmlParser = new Parser({
    sourceCodeLocationInfo: positions,
    treeAdapter: { ...defaultTreeAdapter, createElement },
  });
  let selectModes: number[] = [];
  const processStartTag = parser.onStartTag.bind(parser);
  parser.onStartTag = (tag) => {
    const context = {
      inTemplate: parser.tmplInsertionModeStack.length > 0,
      inSelect: selectModes.includes(parser.insertionMode),
    };
    processStartTag(tag);
    if (tag.tagName === 'select' && !context.inSelect)
      selectModes = [...new Set([...selectModes, parser.insertionMode])];
    onTag(tag, context, parser);
  };
  // As an option it would turn on the slow positions.
  parser.onParseError = (error) => onError(error.code, parser);
  parser.tokenizer.write(html, true);
  return parser.document;
};
