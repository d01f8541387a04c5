// Uses a page as a person with a keyboard does.

/** The first table that can be filtered and has a sorted column, as texts and numbers. */
const state = page => page.evaluate(() => {
  const table = document.querySelector('.scenario table');
  const headers = [...table.querySelectorAll('thead th')];
  const column = headers.findIndex(header => 'relative' in header.dataset);
  const rows = [...document.querySelectorAll('.scenario table tbody tr')];
  return {
    sorted: headers.map(header => header.getAttribute('aria-sort')),
    numbers: [...table.querySelectorAll('tbody tr')].map(row => row.cells[column]?.dataset.v).map(raw => (raw === undefined ? null : Number(raw))),
    texts: [...table.querySelectorAll('tbody tr')].map(row => row.cells[column]?.innerText),
    ids: [...table.querySelectorAll('tbody tr')].map(row => row.querySelector('.self')?.getAttribute('aria-label')),
    column,
    shown: rows.filter(row => !row.hidden).map(row => row.querySelector('.self')?.getAttribute('aria-label') ?? ''),
    status: document.getElementById('status')?.textContent,
  };
});

/** Presses Tab until what has the focus fits. */
async function tabTo(page, selector, index = 0) {
  // From the first link on: after a blur alone Chromium goes on where the focus was.
  await page.evaluate(() => { window.getSelection()?.removeAllRanges(); document.querySelector('a[href]')?.focus(); window.scrollTo(0, 0); });
  for (let left = 600; left > 0; left -= 1) {
    await page.keyboard.press('Tab');
    const is = await page.evaluate(([wanted, nth]) => [...document.querySelectorAll(wanted)].indexOf(document.activeElement) === nth, [selector, index]);
    if (is) return true;
  }
  return false;
}

/** What does not work with scripts. */
export async function withScripts(page) {
  const wrong = [];
  const check = (holds, what) => { if (!holds) wrong.push(what); };
  if (!await page.locator('#tools').count()) return wrong; // The index of results has tables only.
  const before = await state(page);
  const isAscending = numbers => numbers.filter(it => it !== null).every((it, at, all) => at === 0 || all[at - 1] <= it);
  const button = `.scenario table thead th:nth-of-type(${before.column + 1}) button`;
  check(await tabTo(page, button), 'Tab does not reach the button that sorts');
  await page.keyboard.press('Enter');
  const up = await state(page);
  check(up.sorted[before.column] === 'ascending' && isAscending(up.numbers), `Enter does not sort: ${up.numbers}`);
  await page.keyboard.press('Space');
  const down = await state(page);
  check(down.sorted[before.column] === 'descending' && isAscending([...down.numbers].reverse()), `Space does not sort down: ${down.numbers}`);
  await page.keyboard.press('Enter');
  check(JSON.stringify((await state(page)).ids) === JSON.stringify(before.ids), 'a third time does not bring the first order back');

  check(await tabTo(page, '#filter'), 'Tab does not reach the filter');
  const word = before.ids[0].slice(-9);
  await page.keyboard.type(word);
  const filtered = await state(page);
  check(filtered.shown.length > 0 && filtered.shown.length < before.shown.length, `the filter leaves ${filtered.shown.length} of ${before.shown.length} rows`);
  check(filtered.shown.every(id => id.toLowerCase().includes(word.toLowerCase())), 'the filter shows what does not fit');
  check(/rows are shown/.test(filtered.status), `the filter says: ${filtered.status}`);
  check(await tabTo(page, '#tools button[type=reset]'), 'Tab does not reach the button that resets');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(50);
  check((await state(page)).shown.length === before.shown.length, 'the filter is not reset');
  const model = page.locator('#tools select[data-axis=model]');
  if (await model.count()) {
    check(await tabTo(page, '#tools select[data-axis=model]'), 'Tab does not reach the models');
    await page.keyboard.press('ArrowDown');
    const chosen = await model.inputValue();
    const ofModel = (await state(page)).shown;
    check(chosen !== '' && ofModel.length > 0 && ofModel.length < before.shown.length, `the model ${chosen} leaves ${ofModel.length} rows`);
    await page.keyboard.press('ArrowUp');
  }
  check(await tabTo(page, '#mode'), 'Tab does not reach the kind of figures');
  await page.keyboard.press('ArrowDown');
  const relative = await state(page);
  check(relative.texts.some(text => text?.trim() === '1.00×'), `no figure is relative: ${relative.texts}`);
  await page.keyboard.press('ArrowUp');
  check(JSON.stringify((await state(page)).texts) === JSON.stringify(before.texts), 'absolute figures do not come back');

  if (await page.locator('.runs > summary').count()) {
    check(await tabTo(page, '.runs > summary'), 'Tab does not reach the runs of a median');
    const tip = page.locator('#tip');
    check(/run/.test(await tip.innerText()), 'the runs do not show while a median has the focus');
    await page.keyboard.press('Escape');
    check(await tip.isHidden(), 'Escape does not take the runs away');
  }
  const link = page.locator('tr[id] .self').last();
  await link.evaluate(it => { for (let at = it; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true; });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForTimeout(100);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  check(copied.endsWith(await link.getAttribute('href')), `the link is not copied: ${copied}`);

  // Who follows the link sees the row, also where its table was folded.
  await page.goto('about:blank');
  await page.goto(copied);
  await page.waitForTimeout(300);
  const inView = await page.evaluate(() => {
    const row = document.getElementById(location.hash.slice(1));
    const box = row?.getBoundingClientRect();
    return box && box.height > 0 && box.top < innerHeight && box.bottom > 0;
  });
  check(inView, `the link ${copied} does not lead to its row`);
  return wrong;
}

/** What does not work without. */
export async function withoutScripts(page) {
  const wrong = [];
  if (await page.locator('#tools').isVisible()) wrong.push('controls show that do nothing');
  const runs = page.locator('.runs').first();
  if (await runs.count()) {
    await runs.locator('summary').focus();
    await page.keyboard.press('Enter');
    if (!await runs.locator('div').isVisible()) wrong.push('a median does not open to its runs');
  }
  return wrong;
}
