// Whether anything is cut or overlaps. Runs within the page, so it may use nothing from outside.

/** Everything that is wrong, in sentences. */
export function layout() {
  const wrong = [];
  const said = element => `\`${element.textContent.trim().slice(0, 60)}\``;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push(`the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth}`);

  // Texts of a picture are inside it.
  for (const picture of document.querySelectorAll('svg')) {
    const { width, height } = picture.viewBox.baseVal;
    for (const text of picture.querySelectorAll('text')) {
      const box = text.getBBox();
      if (box.x < -1 || box.y < -1 || box.x + box.width > width + 1 || box.y + box.height > height + 1) {
        wrong.push(`${said(text)} leaves its picture: ${[box.x, box.y, box.x + box.width, box.y + box.height].map(Math.round)} of ${width} × ${height}`);
      }
    }
  }

  // What is not in a part that scrolls by itself is inside the window.
  const isShown = element => element.getClientRects().length > 0 && (element.checkVisibility?.() ?? true);
  const blocks = [...document.querySelectorAll('h1, h2, h3, p, li, dt, dd, summary, nav a, label, caption')];
  for (const block of blocks) {
    if (!isShown(block) || block.closest('.scroll') || block.closest('.skip')) continue;
    const box = block.getBoundingClientRect();
    if (box.left < -1 || box.right > root.clientWidth + 1) wrong.push(`${said(block)} leaves the window: ${Math.round(box.left)} to ${Math.round(box.right)}`);
  }

  // Nothing in a table leaves its cell.
  for (const cell of document.querySelectorAll('td, th')) {
    if (!isShown(cell)) continue;
    const outer = cell.getBoundingClientRect();
    for (const inner of cell.querySelectorAll('*')) {
      if (!isShown(inner)) continue;
      const box = inner.getBoundingClientRect();
      if (box.left < outer.left - 1 || box.right > outer.right + 1) wrong.push(`${said(inner)} leaves its cell`);
    }
  }

  // Headings overlap nothing.
  const headings = blocks.filter(block => /^H[1-3]$/.test(block.tagName) && isShown(block));
  const others = [...document.querySelectorAll('h1, h2, h3, p, ul, dl, figure, table')].filter(isShown);
  for (const heading of headings) {
    const one = heading.getBoundingClientRect();
    for (const other of others) {
      if (other === heading) continue;
      const two = other.getBoundingClientRect();
      const apart = one.bottom <= two.top + 1 || two.bottom <= one.top + 1 || one.right <= two.left || two.right <= one.left;
      if (!apart) wrong.push(`the heading ${said(heading)} overlaps ${other.tagName} ${said(other)}`);
    }
  }

  // Headings are in order: no level is left out.
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) wrong.push(`the heading ${said(heading)} leaves a level out`);
    level = own;
  }
  return wrong;
}
