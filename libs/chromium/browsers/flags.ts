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
  // For a full Chrome, which otherwise opens a window with a page. The headless shell opens a page only for a URL.
  '--no-startup-window',
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

/** Nothing listens on port 1 of loopback, so a page with this proxy reaches nothing. */
export const unreachableProxy = 'http://127.0.0.1:1';

/**
 * The browser itself has no network. Each document that may fetch has its own proxy. WebRTC needs both flags: each
 * covers a case that the other does not.
 */
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

/**
 * V8 collects the garbage of a page when its heap has about this size, in MB. By default that is 10 MB: after every tenth
 * invoice, which takes a tenth of the throughput. With 32 MB the processes do not need more memory.
 */
const initialHeapMb = 32;

export type FlagOptions = {
  renderMode: RenderMode;
  userDataDir: string;
  trustFlags: string[];
  hasSmallSharedMemory: boolean;
  heapMb: number;
};

/** The command line of a browser. The sandbox stays on. */
export const browserFlags = (options: FlagOptions): string[] => [
  ...baseFlags,
  ...noNetworkFlags,
  `--disable-features=${disabledFeatures.join(',')}`,
  `--user-data-dir=${options.userDataDir}`,
  `--js-flags=--max-old-space-size=${options.heapMb},--initial-heap-size=${initialHeapMb}`,
  ...(options.renderMode === 'animated' ? [] : framelessFlags),
  ...(options.hasSmallSharedMemory ? ['--disable-dev-shm-usage'] : []),
  ...options.trustFlags,
];
