import { expect, test } from 'vitest';
import { mayMarkPage } from './page-marks.ts';

test.each([
  '<p>plain', '<meta charset="utf-8">', '<META CHARSET=utf-8 >', '<meta name="viewport" content="width=device-width, initial-scale=1">', '<meta content="a > b" name=author/>',
  '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">', '<meta property="og:title" content=\'x\'>', '<metadata>', '<style media=print>', '<link rel=stylesheet href="data:text/css,x">', '<title>x</title>',
])('%s leaves the page as it was', (html) => expect(mayMarkPage(html)).toBe(false));

test.each([
  '<meta http-equiv=refresh content=0>', '<meta http-equiv="&#114;efresh">', '<meta charset=utf-8 name=color-scheme content=dark>', '<meta content=">" name="referrer">', '<meta\thttp-equiv="Content-Security-Policy">',
  '<meta name="viewport"http-equiv=refresh>', '<meta/name=color-scheme>', '<meta', '<style title=a>', '<link media=">" title="x" rel=stylesheet>', '<meta name=viewports>', '<p><meta name=theme-color><meta charset=utf-8>',
])('%s may outlast its document', (html) => expect(mayMarkPage(html)).toBe(true));
