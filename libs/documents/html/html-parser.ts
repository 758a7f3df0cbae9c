import { defaultTreeAdapter, type DefaultTreeAdapterMap, Parser, type Token } from 'parse5';

type HtmlParser = Parser<DefaultTreeAdapterMap>;

/** Where a tag stands. Of what stands in a template nothing loads; in a select some tags are dropped, which newer browsers keep. */
export type TagContext = { inTemplate: boolean; inSelect: boolean };

export type ParseHandlers = {
  /** Told of every start tag once it has been dealt with, those included that do not become an element. */
  onTag: (tag: Token.TagToken, place: TagContext, parser: HtmlParser) => void;
  /** Told of every element before it is made, those included that no tag asks for. */
  onElement?: () => void;
  /** Told of the code of every parse error. */
  onError: (code: string, parser: HtmlParser) => void;
};

/** Parses by the HTML standard, and answers with the tree. `positions` costs time, and gives tags their `location`. */
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
  const build = parser.onStartTag.bind(parser);
  parser.onStartTag = (tag) => {
    const place = {
      inTemplate: parser.tmplInsertionModeStack.length > 0,
      inSelect: selectModes.includes(parser.insertionMode),
    };
    build(tag);
    if (tag.tagName === 'select' && !place.inSelect) selectModes = [...new Set([...selectModes, parser.insertionMode])];
    onTag(tag, place, parser);
  };
  // Set afterwards: given as an option it would switch the costly positions on.
  parser.onParseError = (error) => onError(error.code, parser);
  parser.tokenizer.write(html, true);
  return parser.document;
};
