// Opens pages that Parallax wrote in a real browser and looks at them: node check.mjs [--shots DIR] [--paint MS] PAGE…
//
// Each page is opened wide and narrow, light and dark, with scripts and without. Exit status 1 where anything is wrong.
//
//   --shots DIR   keep a picture of each
//   --paint MS    fail where the first paint takes longer: only on a quiet machine

import { mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { chromium } from 'playwright-core';

import { layout } from './layout.mjs';
import { onPaper } from './paper.mjs';
import { withoutScripts, withScripts } from './use.mjs';

const { values: options, positionals: pages } = parseArgs({
  allowPositionals: true,
  options: { shots: { type: 'string' }, paint: { type: 'string' } },
});
if (pages.length === 0) {
  console.error('usage: node check.mjs [--shots DIR] [--paint MS] PAGE…');
  process.exit(2);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

/** What axe-core finds that is serious. */
async function accessibility(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `axe, ${id}: ${help}: ${nodes.length} times, such as ${nodes[0].html.slice(0, 200)}`);
}

/** Everything that is wrong with a page in one setting. */
async function look(browser, file, { width, scheme, scripts }) {
  const context = await browser.newContext({
    viewport: { width, height: 900 }, colorScheme: scheme, javaScriptEnabled: scripts, reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const wrong = [];
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`); });
  page.on('pageerror', error => wrong.push(`script: ${error.message}`));
  const url = pathToFileURL(resolve(file)).href;
  page.on('request', request => {
    if (request.url().split('#')[0] !== url && !request.url().startsWith('data:')) wrong.push(`asks for ${request.url()}`);
  });
  await page.goto(url);
  // Where scripts are off, timers are too: waiting is done out here.
  let paint;
  for (let left = 40; left > 0 && paint === undefined; left -= 1) {
    await new Promise(done => setTimeout(done, 50));
    paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  }
  if (options.paint && !(paint <= Number(options.paint))) wrong.push(`the first paint took ${paint} ms`);
  // What is far away is not laid out until it is near; here everything is looked at.
  await page.evaluate(() => {
    const style = document.createElement('style');
    style.textContent = '.scenario { content-visibility: visible !important; }';
    document.head.append(style);
  });
  if (options.shots) {
    const name = `${basename(dirname(resolve(file)))}-${basename(file, '.html')}-${width}-${scheme}${scripts ? '' : '-no-scripts'}.png`;
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const clip = { x: 0, y: 0, width, height: Math.min(height, 8_000) };
    await page.screenshot({ path: join(options.shots, name), fullPage: true, clip });
  }
  wrong.push(...await page.evaluate(layout));
  // axe-core needs scripts; the page is the same without.
  if (scripts) wrong.push(...await accessibility(page));
  wrong.push(...await onPaper(page));
  wrong.push(...await (scripts ? withScripts(page) : withoutScripts(page)));
  await context.close();
  return { wrong, paint };
}

if (options.shots) mkdirSync(options.shots, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), 'parallax-chromium-'));
let failed = false;
try {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, env: { ...process.env, HOME: profile } });
  for (const file of pages) {
    const paints = [];
    for (const width of [1280, 390]) {
      for (const scheme of ['light', 'dark']) {
        for (const scripts of [true, false]) {
          const { wrong, paint } = await look(browser, file, { width, scheme, scripts });
          if (paint !== undefined) paints.push(Math.round(paint));
          for (const what of new Set(wrong)) {
            failed = true;
            console.error(`${file}, ${width} px, ${scheme}, ${scripts ? 'with' : 'without'} scripts: ${what}`);
          }
        }
      }
    }
    console.log(`${file}: looked at, first paints after ${paints.join(', ')} ms`);
  }
  await browser.close();
} finally {
  rmSync(profile, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
