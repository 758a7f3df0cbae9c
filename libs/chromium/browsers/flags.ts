import type { RenderMode } from '#contracts/render-modes.ts';

const disabledFeatures = [
  'AcceptCHFrame',
  'AutofillServerCommunication',
  'BackForwardCache',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'Prerender2',
  'PreconnectToSearch',
  'LoadingPredictor',
  'SpeculationRulesPrefetchFuture',
  'Translate',
];

const baseFlags = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-gpu',
  '--hide-scrollbars',
  '--mute-audio',
  '--lang=en-US',
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--export-tagged-pdf=false',
  '--password-store=basic',
  '--use-mock-keychain',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-hang-monitor',
  '--block-new-web-contents',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--no-service-autorun',
  '--allow-pre-commit-input',
];

/** Nothing listens on port 1 of loopback: a page with this proxy can reach nothing. */
export const unreachableProxy = 'http://127.0.0.1:1';

/** The browser itself has no way out; each document that may fetch has a proxy of its own. WebRTC needs both spellings: each covers a case that the other leaves open. */
const noNetworkFlags = [
  `--proxy-server=${unreachableProxy}`,
  '--proxy-bypass-list=<-loopback>',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-client-side-phishing-detection',
  '--disable-domain-reliability',
  '--metrics-recording-only',
  '--safebrowsing-disable-auto-update',
];

/** Without screen frames, pages paint for print alone, at half the cost. A browser has frames on all its pages or on none. */
const framelessFlags = ['--enable-begin-frame-control', '--run-all-compositor-stages-before-draw'];

export type FlagOptions = {
  renderMode: RenderMode;
  userDataDir: string;
  trustFlags: string[];
  hasSmallSharedMemory: boolean;
  heapMb: number;
};

/** The whole command line of a browser. The sandbox is never named here: it is on, and stays on. */
export const browserFlags = (settings: FlagOptions): string[] => [
  ...baseFlags,
  ...noNetworkFlags,
  `--disable-features=${disabledFeatures.join(',')}`,
  `--user-data-dir=${settings.userDataDir}`,
  `--js-flags=--max-old-space-size=${settings.heapMb}`,
  ...(settings.renderMode === 'animated' ? [] : framelessFlags),
  ...(settings.hasSmallSharedMemory ? ['--disable-dev-shm-usage'] : []),
  ...settings.trustFlags,
  'about:blank',
];
