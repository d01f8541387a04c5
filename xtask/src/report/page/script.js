// What a script adds to the page: sorting, filtering, figures relative to the baseline, runs on hover and focus, links to
// cells. Nothing here is needed to read the page.
(() => {
  'use strict';
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const tables = all('.scenario table');
  const tools = document.getElementById('tools');
  const status = document.getElementById('status');
  const say = text => { if (status) status.textContent = text; };

  // Each table remembers how it was: rows with their comparison's baseline, and the words of its figures.
  const known = new Map();
  const remember = table => {
    if (!known.has(table)) {
      const bodies = [...table.tBodies];
      known.set(table, bodies.map(body => {
        const rows = [...body.rows];
        return { body, rows, base: rows.find(row => row.classList.contains('base')) };
      }));
    }
    return known.get(table);
  };

  // Sorting: a button in each header; up, down, and back to the order of the matrix.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const raw = cell.dataset.v;
    return raw === undefined ? cell.innerText.trim().replace(/\s*#$/, '') : Number(raw);
  };
  const compare = (a, b) => {
    const unknown = value => value === '–' || value === '';
    if (unknown(a) || unknown(b)) return unknown(a) - unknown(b);
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const sort = (table, column, direction) => {
    const groups = remember(table);
    for (const { body, rows } of groups) body.append(...rows);
    if (direction) {
      const rows = groups.flatMap(group => group.rows).map(row => [valueOf(row, column), row]);
      const isUnknown = value => value === '–' || value === '';
      rows.sort(([a], [b]) => isUnknown(a) || isUnknown(b) ? compare(a, b) : direction * compare(a, b));
      groups[0].body.append(...rows.map(([, row]) => row));
    }
  };
  for (const table of tables) {
    all('thead th', table).forEach((header, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener('click', () => {
        const was = header.getAttribute('aria-sort');
        const now = was === 'ascending' ? 'descending' : was === 'descending' ? null : 'ascending';
        all('thead th', table).forEach(other => other.removeAttribute('aria-sort'));
        if (now) header.setAttribute('aria-sort', now);
        sort(table, column, now === 'ascending' ? 1 : now === 'descending' ? -1 : 0);
        say(now ? `Sorted by ${button.innerText.trim()}, ${now}.` : 'In the order of the matrix.');
      });
    });
  }

  // Filtering: a row is shown where all filters fit.
  const filter = () => {
    const text = document.getElementById('filter').value.trim().toLowerCase();
    const axes = all('select[data-axis]', tools).filter(select => select.value);
    let shown = 0;
    let rows = 0;
    for (const table of tables) {
      for (const row of remember(table).flatMap(group => group.rows)) {
        const id = row.querySelector('.self').getAttribute('aria-label').slice('Link to '.length);
        const of = axis => row.dataset[axis] ?? table.dataset[axis];
        const fits = (!text || id.toLowerCase().includes(text)) && axes.every(({ dataset, value }) => of(dataset.axis) === value);
        row.hidden = !fits;
        rows += 1;
        shown += fits;
      }
    }
    say(shown === rows ? '' : `${shown} of ${rows} rows are shown.`);
  };

  // Absolute figures, or multiples of the baseline's.
  const words = new Map();
  const times = value => `${value >= 9.995 ? Number(value.toPrecision(3)) : value.toFixed(2)}×`;
  const show = relative => {
    for (const table of tables) {
      const columns = all('thead th', table).flatMap((header, index) => 'relative' in header.dataset ? [index] : []);
      for (const { rows, base } of remember(table)) {
        for (const row of rows) {
          for (const column of columns) {
            const cell = row.cells[column];
            const place = cell.querySelector('summary') ?? cell;
            if (!words.has(place)) words.set(place, place.textContent);
            const of = Number(base?.cells[column].dataset.v);
            const is = cell.dataset.v;
            place.textContent = relative && is !== undefined ? (of > 0 ? times(Number(is) / of) : '–') : words.get(place);
          }
        }
      }
    }
    say(relative ? 'Figures are multiples of the baseline of their comparison.' : '');
  };

  if (tools && tables.length) {
    tools.hidden = false;
    const mode = document.getElementById('mode');
    tools.addEventListener('submit', event => event.preventDefault());
    tools.addEventListener('input', event => { if (event.target === mode) show(mode.value === 'ratio'); else filter(); });
    tools.addEventListener('reset', () => setTimeout(() => { show(false); filter(); }));
  }

  // Runs while a figure is pointed at or has the focus; Escape takes them away.
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.role = 'tooltip';
  tip.hidden = true;
  document.body.append(tip);
  let told = null;
  const hide = () => { tip.hidden = true; told?.removeAttribute('aria-describedby'); told = null; };
  const tell = summary => {
    if (summary.parentElement.open) return hide();
    if (told === summary) return;
    hide();
    told = summary;
    tip.textContent = summary.nextElementSibling.textContent;
    tip.hidden = false;
    summary.setAttribute('aria-describedby', 'tip');
    const at = summary.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - tip.offsetWidth - 8));
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${at.bottom + scrollY + 6}px`;
  };
  const runs = event => event.target.closest?.('.runs > summary');
  for (const kind of ['mouseover', 'focusin']) document.addEventListener(kind, event => { const it = runs(event); if (it) tell(it); });
  for (const kind of ['mouseout', 'focusout']) document.addEventListener(kind, event => { if (runs(event)) hide(); });
  document.addEventListener('click', event => { if (runs(event)) hide(); });
  document.addEventListener('keydown', event => { if (event.key === 'Escape') hide(); });

  // A link to a cell is copied when it is followed; what a link leads to is unfolded.
  document.addEventListener('click', event => {
    const link = event.target.closest?.('.self');
    if (link) navigator.clipboard?.writeText(link.href).then(() => say('The link is copied.'), () => {});
  });
  const unfold = () => {
    const place = document.getElementById(location.hash.slice(1));
    for (let at = place?.parentElement; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    if (place) place.scrollIntoView();
  };
  addEventListener('hashchange', unfold);
  if (location.hash) unfold();

  // On paper nothing can be unfolded. Runs stay as they are: a row would be as high as ten.
  let unfolded = [];
  addEventListener('beforeprint', () => {
    unfolded = all('details:not(.runs, [open])');
    for (const details of unfolded) details.open = true;
  });
  addEventListener('afterprint', () => { for (const details of unfolded) details.open = false; });
})();
