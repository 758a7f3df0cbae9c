/** One way for a page to reach the network: markup or script that requests `host`, a name or address with a port. */
export type LeakVector = {
  name: string;
  protocol: 'tcp' | 'udp';
  markup?: Write;
  script?: Write;
};

type Write = (host: string) => string;
type Vectors = Record<string, Write>;

/** A frame, for vectors that navigate the page. */
const inFrame = (content: string) =>
  `<iframe srcdoc="${content.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
const inWorker = (code: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`;
const gatherIceCandidates = (server: string) => `new Promise((resolve) => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: '${server}', username: 'u', credential: 'c' }] });
  peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
  peer.createDataChannel('x');
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
})`;

const links: Vectors = {
  'link stylesheet': (host) => `<link rel="stylesheet" href="http://${host}/a.css">`,
  'link stylesheet for print': (host) => `<link rel="stylesheet" media="print" href="http://${host}/a.css">`,
  'link preload': (host) => `<link rel="preload" as="image" href="http://${host}/a.png">`,
  'link modulepreload': (host) => `<link rel="modulepreload" href="http://${host}/a.js">`,
  'link prefetch': (host) => `<link rel="prefetch" href="http://${host}/a">`,
  'link preconnect': (host) => `<link rel="preconnect" href="https://${host}">`,
  'link dns-prefetch': (host) => `<link rel="dns-prefetch" href="//${host}">`,
  'link prerender': (host) => `<link rel="prerender" href="http://${host}/a">`,
  'link icon': (host) => `<link rel="icon" href="http://${host}/a.ico">`,
  'link manifest': (host) => `<link rel="manifest" crossorigin href="http://${host}/a.json">`,
};

const styles: Vectors = {
  'css @import': (host) => `<style>@import url(http://${host}/a.css);</style>`,
  'css background': (host) => `<div style="background: url(http://${host}/a.png)">x</div>`,
  'css image-set': (host) =>
    `<div style="background: image-set(url(http://${host}/a.png) 1x, url(http://${host}/b.png) 2x)">x</div>`,
  'css list-style': (host) => `<ul><li style="list-style-image: url(http://${host}/a.png)">x</ul>`,
  'css content': (host) => `<style>.after::after { content: url(http://${host}/a.png) }</style><p class="after">x`,
  'css mask': (host) => `<div style="mask-image: url(http://${host}/a.svg#m)">x</div>`,
  'css filter': (host) => `<div style="filter: url(http://${host}/a.svg#f)">x</div>`,
  'css background in print alone': (host) =>
    `<style>@media print { .paper { background: url(http://${host}/a.png) } }</style><p class="paper">x`,
  'css cursor': (host) => `<style>body { cursor: url(http://${host}/a.cur), auto }</style>`,
  'css font': (host) =>
    `<style>@font-face { font-family: f; src: url(http://${host}/a.woff2) }</style><p style="font-family: f">x`,
};

const elements: Vectors = {
  img: (host) => `<img src="http://${host}/a.png">`,
  'img over https': (host) => `<img src="https://${host}/a.png">`,
  'img lazy, far down': (host) => `<div style="height: 20000px"></div><img loading="lazy" src="http://${host}/a.png">`,
  'img srcset': (host) => `<img srcset="http://${host}/a.png 1x, http://${host}/b.png 2x">`,
  picture: (host) => `<picture><source srcset="http://${host}/a.png"><img></picture>`,
  'input image': (host) => `<input type="image" src="http://${host}/a.png">`,
  'body background': (host) => `<table background="http://${host}/a.png"><tr><td>x</table>`,
  'svg image': (host) => `<svg><image href="http://${host}/a.png" width="9" height="9"/></svg>`,
  'svg feImage': (host) =>
    `<svg><filter id="fi"><feImage href="http://${host}/a.png"/></filter><rect width="9" height="9" filter="url(#fi)"/></svg>`,
  'svg use': (host) => `<svg><use href="http://${host}/a.svg#x"/></svg>`,
  'script element': (host) => `<script src="http://${host}/a.js" async></script>`,
  iframe: (host) => `<iframe src="http://${host}/"></iframe>`,
  object: (host) => `<object data="http://${host}/a"></object>`,
  embed: (host) => `<embed src="http://${host}/a">`,
  portal: (host) => `<portal src="http://${host}/a"></portal>`,
  video: (host) => `<video preload="auto" src="http://${host}/a.mp4"></video>`,
  'video poster': (host) => `<video poster="http://${host}/a.png"></video>`,
  audio: (host) => `<audio preload="auto" src="http://${host}/a.mp3"></audio>`,
  track: (host) =>
    `<video crossorigin src="data:video/mp4,"><track default kind="subtitles" src="http://${host}/a.vtt"></video>`,
  'meta refresh': (host) => inFrame(`<meta http-equiv="refresh" content="0; url=http://${host}/">`),
  'speculation rules': (host) =>
    '<script type="speculationrules">{' +
    `"prefetch":[{"source":"list","eagerness":"immediate","urls":["http://${host}/a"]}],` +
    `"prerender":[{"source":"list","eagerness":"immediate","urls":["http://${host}/b"]}]` +
    '}</script>',
};

const scripts: Vectors = {
  form: (host) =>
    `document.body.insertAdjacentHTML('beforeend', '<iframe name="form-target"></iframe>` +
    `<form id="leaving" method="post" target="form-target" action="http://${host}/"></form>'); ` +
    `document.getElementById('leaving').submit()`,
  'ping attribute': (host) =>
    `document.body.insertAdjacentHTML('beforeend', '<a id="ping" href="#here" ping="http://${host}/">x</a>'); ` +
    `document.getElementById('ping').click()`,
  'window.open': (host) => `window.open('http://${host}/')`,
  'location of a frame': (host) =>
    `document.body.appendChild(document.createElement('iframe')).contentWindow.location = 'http://${host}/'`,
  fetch: (host) => `fetch('http://${host}/', { mode: 'no-cors' })`,
  'fetch over https': (host) => `fetch('https://${host}/', { mode: 'no-cors' })`,
  'fetch keepalive': (host) =>
    `fetch('http://${host}/', { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' })`,
  XMLHttpRequest: (host) =>
    `{ const request = new XMLHttpRequest(); request.open('GET', 'http://${host}/'); request.send() }`,
  sendBeacon: (host) => `navigator.sendBeacon('http://${host}/', 'x')`,
  EventSource: (host) => `new EventSource('http://${host}/')`,
  WebSocket: (host) => `new WebSocket('ws://${host}/')`,
  'WebSocket over TLS': (host) => `new WebSocket('wss://${host}/')`,
  'import()': (host) => `import('http://${host}/a.js')`,
  'worker importScripts': (host) => inWorker(`importScripts('http://${host}/a.js')`),
  'worker fetch': (host) => inWorker(`fetch('http://${host}/', { mode: 'no-cors' })`),
  'shared worker': (host) =>
    `new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://${host}/', { mode: 'no-cors' })"])))`,
  'service worker': (host) =>
    `navigator.serviceWorker.register('/service-worker.js?' + encodeURIComponent('http://${host}/'))`,
  worklet: (host) => `CSS.paintWorklet.addModule('http://${host}/a.js')`,
  'WebRTC TURN over TCP': (host) => gatherIceCandidates(`turn:${host}?transport=tcp`),
};

const udpScripts: Vectors = {
  WebTransport: (host) => `new WebTransport('https://${host}/').ready`,
  'WebRTC STUN': (host) => gatherIceCandidates(`stun:${host}`),
  'WebRTC TURN over UDP': (host) => gatherIceCandidates(`turn:${host}?transport=udp`),
};

const loopbackHosts = [
  'localhost',
  'sub.localhost',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '１２７.0.0.1',
];

const withPortOf = (ownHost: string, host: string) => `${ownHost}:${host.split(':').at(-1)}`;

const loopbackMarkup: Vectors = Object.fromEntries(
  loopbackHosts.map((ownHost) => [
    `img at ${ownHost}`,
    (host: string) => `<img src="http://${withPortOf(ownHost, host)}/a.png">`,
  ]),
);
const loopbackScripts: Vectors = Object.fromEntries(
  loopbackHosts.flatMap((ownHost) => [
    [`fetch at ${ownHost}`, (host: string) => `fetch('https://${withPortOf(ownHost, host)}/', { mode: 'no-cors' })`],
    [`WebSocket at ${ownHost}`, (host: string) => `new WebSocket('ws://${withPortOf(ownHost, host)}/')`],
  ]),
);

const vectorsOf = (
  kind: 'markup' | 'script',
  vectors: Vectors,
  protocol: LeakVector['protocol'] = 'tcp',
): LeakVector[] => Object.entries(vectors).map(([name, write]) => ({ name, protocol, [kind]: write }));

export const leakVectors: LeakVector[] = [
  ...vectorsOf('markup', { ...links, ...styles, ...elements, ...loopbackMarkup }),
  ...vectorsOf('script', { ...scripts, ...loopbackScripts }),
  ...vectorsOf('script', udpScripts, 'udp'),
];

/** Vectors that a browser may silently ignore when it has a proxy. */
export const speculativeVectors = ['speculation rules'];

const asExpression = (code: string) =>
  /^(new|fetch|import|navigator|CSS|window)\b/.test(code) ? code : `(() => { ${code} })()`;

/** A page that tries every vector, each with its own host. `window.settled` resolves when the scripts have ended. */
export const leakPage = (leakAttempts: { vector: LeakVector; host: string }[]): string => {
  const attempts = leakAttempts.flatMap(({ vector, host }) =>
    vector.script ? [`async () => ${asExpression(vector.script(host))}`] : [],
  );
  const markup = leakAttempts.map(({ vector, host }) => vector.markup?.(host) ?? '').join('\n');
  return `<!doctype html><meta charset="utf-8"><title>x</title><body>${markup}
<script>window.settled = Promise.allSettled([${attempts.join(',\n')}].map((attempt) => attempt())).then(() => 'settled');</script>`;
};

/** The script of the page's service worker. */
export const serviceWorkerScript = `fetch(decodeURIComponent(location.search.slice(1)), { mode: 'no-cors' })`;
