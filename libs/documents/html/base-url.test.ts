import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withBaseUrl } from './base-url.ts';
import { classify } from './classify.ts';

const base = 'https://example.com/a/?x=1&y="2"';
const element = '<base href="https://example.com/a/?x=1&amp;y=%222%22">';
const href = 'https://example.com/a/?x=1&y=%222%22';

describe('The base element of a document', () => {
  test.each([
    ['<!doctype html><html lang="en"><head><title>x</title>', '<!doctype html><html lang="en"><head>|<title>x</title>'],
    ['<!-- <head> --><HTML>\n<p>x', '<!-- <head> --><HTML>|\n<p>x'],
    ['<!doctype html>\n<img src="a">', '<!doctype html>\n|<img src="a">'],
    ['text <b>x</b>', 'text |<b>x</b>'],
    ['<html><body><p>x', '<html>|<body><p>x'],
    ['<style>p { content: "<head>" }</style>', '|<style>p { content: "<head>" }</style>'],
    ['only text', 'only text'],
  ])('stands before all that it applies to: %s', (html, expected) => {
    expect(withBaseUrl(html, base)).toBe(expected.replace('|', element));
  });

  test('stays that of the document, if it has one', () => {
    const html = '<p>x<base target="_top" href="https://own.example/">';
    expect(withBaseUrl(html, base)).toBe(html);
    expect(withBaseUrl('<base target="_top"><template><base href="/x/"></template>', base)).toContain(element);
  });

  test.each([
    ['own/', 'https://example.com/a/own/'],
    ['/own/', 'https://example.com/own/'],
    ['', href],
    ['http://[', 'https://example.com/a/?x=1&amp;y=%222%22'],
  ])('is resolved against the given one, if it is relative: %s', (own, expected) => {
    const html = `<head><base href="${own}"><p>x`;
    expect(classify(withBaseUrl(html, base)).details.baseUrl).toBe(expected.replace('&amp;', '&'));
    expect(withBaseUrl(html, base).endsWith('<base href="' + own + '"><p>x')).toBe(true);
  });

  test('is inserted once, and nothing else changes', () => {
    const piece = fc.constantFrom(
      '<html>',
      '<head>',
      '<body>',
      '<p class=x>',
      '<img src=a>',
      '</head>',
      '\r\n',
      'ä',
      '<!-- <b> -->',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const html = `${pieces.join('')}<i>`;
        const changed = withBaseUrl(html, base);
        expect(changed.replace(element, '')).toBe(html);
        expect(classify(changed).details.baseUrl).toBe(href);
        expect(withBaseUrl(html, undefined)).toBe(html);
      }),
    );
  });
});
