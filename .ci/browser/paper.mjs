// Whether a page can be printed: light, whole, nothing to press.

/** Room within the margins of 12 mm, in pixels: the narrower of A4 and US letter, upright and on its side. */
const PAPER = { upright: { width: 703, height: 965 }, wide: { width: 965, height: 703 } };

/** Everything that is wrong on paper, in sentences. */
export async function onPaper(page) {
  const before = page.viewportSize();
  const wrong = [];
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  for (const [way, size] of Object.entries(PAPER)) {
    await page.setViewportSize(size);
    wrong.push(...await page.evaluate(printed, way));
  }
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({ media: null });
  await page.setViewportSize(before);
  return wrong.map(what => `on paper: ${what}`);
}

function printed(way) {
  const wrong = [];
  const isWide = element => getComputedStyle(element).page === 'wide';
  const isShown = element => element.getClientRects().length > 0 && (element.checkVisibility?.() ?? true);
  for (const part of document.querySelectorAll('.scroll')) {
    if (isWide(part.closest('section') ?? document.body) !== (way === 'wide') || !isShown(part)) continue;
    if (part.scrollWidth > part.clientWidth + 1) wrong.push(`${part.ariaLabel} is ${part.scrollWidth} px wide, the paper ${part.clientWidth}`);
  }
  for (const picture of document.querySelectorAll('svg.parallax-plot')) {
    const { height } = picture.getBoundingClientRect();
    if (isWide(picture.closest('section')) === (way === 'wide') && height > innerHeight) wrong.push(`a picture is ${Math.round(height)} px high, the paper ${innerHeight}`);
  }
  const light = colour => { const [r, g, b] = colour.match(/[\d.]+/g).map(Number); return r + g + b > 600; };
  if (!light(getComputedStyle(document.body).backgroundColor)) wrong.push('the ground is dark');
  for (const paper of document.querySelectorAll('svg .paper')) {
    if (!light(getComputedStyle(paper).fill)) { wrong.push('the ground of a picture is dark'); break; }
  }
  for (const folded of document.querySelectorAll('details:not(.runs)')) {
    if (isShown(folded) && !isShown(folded.lastElementChild)) wrong.push(`\`${folded.textContent.trim().slice(0, 40)}\` is folded`);
  }
  for (const button of document.querySelectorAll('button, input, select')) {
    if (!isShown(button)) continue;
    const style = getComputedStyle(button);
    if (!button.closest('thead') || style.borderTopWidth !== '0px' || getComputedStyle(button, '::after').content !== 'none') {
      wrong.push(`\`${button.textContent.trim()}\` looks as if it could be pressed`);
    }
  }
  return wrong;
}
