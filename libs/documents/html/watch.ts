import { defaultTreeAdapter, type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, Parser, type Token } from 'parse5';

type Element = DefaultTreeAdapterTypes.Element;

/** Told of every element as the tree is built, with the line (from 1) that the parser is on: no second walk is needed. */
export type OnElement = (element: Element, attributes: readonly Token.Attribute[], parser: Parser<DefaultTreeAdapterMap>) => void;

/** Parses by the HTML standard. `onError` gets the code of each parse error. */
export const parseWatching = (html: string, options: { positions: boolean; onElement: OnElement; onError: (code: string, parser: Parser<DefaultTreeAdapterMap>) => void }): void => {
  const parser: Parser<DefaultTreeAdapterMap> = new Parser({
    sourceCodeLocationInfo: options.positions,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement: (tagName, namespace, attributes) => {
        const element = defaultTreeAdapter.createElement(tagName, namespace, attributes);
        options.onElement(element, attributes, parser);
        return element;
      },
      // A second <html> or <body> tag adds its attributes to the first.
      adoptAttributes: (element, attributes) => {
        defaultTreeAdapter.adoptAttributes(element, attributes);
        options.onElement(element, attributes, parser);
      },
    },
  });
  // Set afterwards: given as an option it would switch the costly positions on.
  parser.onParseError = (error) => options.onError(error.code, parser);
  parser.tokenizer.write(html, true);
};
