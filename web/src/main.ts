// Tabiya's page. The reader's actions change the place; the page shows the place.

import '@lichess-org/chessground/assets/chessground.base.css';
import '@lichess-org/chessground/assets/chessground.cburnett.css';
import './styles/page.css';
import './styles/board.css';
import './styles/panels.css';
import './styles/pieces.css';
import './styles/training.css';

import { Access } from './access';
import { askCollections, get, type GameMoves, type Hit } from './api';
import type { Around } from './card';
import { Collections } from './collections';
import { CompareView } from './compare';
import { arrow } from './board';
import { Desk } from './desk';
import { fill, h, patient, tool } from './dom';
import { EnginePanel } from './engine';
import { Explorer } from './explorer';
import { FindView } from './find';
import { GamesTable } from './games';
import { JudgeView } from './judge';
import { KeyHelp, listen, type Shortcut } from './keys';
import { fenAt } from './line';
import { Look } from './look';
import { mountNotices, notice } from './notice';
import { PlayView } from './play';
import { PrepareView } from './prepare';
import { ReviewView } from './review';
import { faultOf, openedAt, toAddress, type Place, type View } from './place';
import { SettingsPanel } from './settings';
import { SimilarList } from './similar';
import { Store } from './store';
import { TrainView } from './train';
import { TrapList } from './traps';
import { childrenAt, lineThrough, readPgnTree, readText, writePgn } from './tree';
import { isDue, opponent, otherSide, takenBack, type How } from './turns';
import { Viewer } from './viewer';

const store = new Store();
const look = new Look(() => dispatchEvent(new Event('resize')));
const desk: Desk = new Desk(store, look, (files) => void readFiles(files));
const explorer: Explorer = new Explorer(
  (uci) => desk.play(uci),
  (game) => store.go({ game }),
  (rows) => engine.know(rows),
  (words) => similar.showAdmitted(words),
  (uci) => desk.mark(uci ? [arrow(uci, 'blue')] : [], new Map()),
  () => {
    games.showHere();
    enter('games');
  },
);
const engine = new EnginePanel(
  (moves) => desk.playLine(moves, moves.length),
  (shapes) => desk.suggest(shapes),
);
const find = new FindView(
  (pattern) => store.adjust({ pattern }),
  (game) => store.go({ game }),
);
const games = new GamesTable((game) => store.go({ game }));
const access = new Access(() => {
  collections.allow(access.may('manage'));
  judge.allow(access.may('judge'));
});
const collections: Collections = new Collections(
  (names, show) => {
    // The collection may have other games than before.
    answered = '';
    if (show) games.showAll();
    store.go({ collections: names, ...(show ? { view: 'games' } : {}) });
  },
  (total) => (explorer.total = total),
);
const settings = new SettingsPanel((it) => store.adjust({ settings: it }));
const similar: SimilarList = new SimilarList(
  (answer) => {
    if (answer) settings.praise();
    explorer.showSimilar(answer);
  },
  (message) => settings.blame(message),
);
const traps = new TrapList((moves, shown) => desk.playLine(moves, shown));
const compare = new CompareView((text) => compareWith(text));
const judge: JudgeView = new JudgeView();
const play = new PlayView(
  (uci) => desk.play(uci),
  () => takeBack(),
  () => swapSides(),
  (time) => store.adjust({ time }),
  (id, ply) => store.go({ game: { id, ply } }),
);
const train = new TrainView();
const review = new ReviewView({
  goTo: (ply) => store.adjust({ at: Math.min(ply, store.place.line.moves.length) }),
  open: (id, ply) => store.go({ game: { id, ply } }),
  practice: (fen, line) => {
    store.go({ view: 'train' });
    void train.practice({ fen, line });
  },
});
const prepare = new PrepareView(
  (opponent) => store.go({ opponent }),
  (line) => desk.read(line),
  (id, ply) => store.go({ game: { id, ply } }),
);
const viewer = new Viewer(
  (opened) => store.adjust({ game: opened }),
  () => closeGame(),
  (game, ply) => searchFrom(game, ply),
);

/** The views: name, title, content, key. */
const TABS: [View, string, HTMLElement[], string][] = [
  ['similar', 'Similar', [settings.element, similar.element], 'l'],
  ['games', 'Games', [games.element], 'g'],
  ['find', 'Patterns', [find.element], 'a'],
  ['traps', 'Traps', [traps.element], 't'],
  ['compare', 'Compare', [compare.element], 'c'],
  ['judge', 'Judge', [judge.element], 'j'],
  ['play', 'Play', [play.element], 'p'],
  ['review', 'Review', [review.element], 'r'],
  ['train', 'Train', [train.element], 'x'],
  ['prepare', 'Prepare', [prepare.element], 'o'],
];

/** Everything is in one column. */
const NARROW = matchMedia('(max-width: 860px)');

const shortcuts: Shortcut[] = [
  { keys: ['ArrowLeft'], words: 'back', run: () => desk.walk(-1) },
  { keys: ['ArrowRight'], words: 'forward', run: () => desk.walk(1) },
  { keys: ['ArrowUp'], words: 'go to start', run: () => desk.walk(-Infinity) },
  { keys: ['ArrowDown'], words: 'go to end', run: () => desk.walk(Infinity) },
  {
    keys: ['ArrowLeft', 'ArrowRight'],
    shift: true,
    words: 'other variation',
    run: (key) => desk.turn(key === 'ArrowLeft' ? -1 : 1),
  },
  { keys: ['f'], words: 'flip the board', run: () => desk.flip() },
  { keys: ['e'], words: 'engine on or off', run: () => engine.toggle() },
  { keys: ['s'], words: 'set up a position', run: () => desk.setup() },
  { keys: ['n'], words: 'starting position', run: () => desk.startOver() },
  { keys: ['m', '/'], words: 'type a move, FEN or PGN', run: () => desk.focusInput() },
  ...TABS.map(([view, words, , key]) => ({
    keys: [key],
    words: `${words.toLowerCase()} view`,
    run: () => enter(view),
  })),
  {
    keys: ['0', '1', '2', '3', '4', '5', '6'],
    words: 'mark the move ! ? !! ?? !? ?!, or grade a hit in the judge view',
    run: (key) => grade(Number(key)),
  },
  { keys: ['#'], words: 'comment', run: () => desk.sheet.comment() },
  { keys: ['Delete'], words: 'delete from this move on', run: () => desk.sheet.remove() },
  { keys: ['z'], ctrl: true, words: 'undo', run: () => store.undo() },
  { keys: ['y'], ctrl: true, words: 'redo', run: () => store.redo() },
  { keys: ['?'], words: 'show these shortcuts', run: () => help.open() },
];
const help = new KeyHelp(shortcuts);

function mount(): void {
  desk.board.element.append(engine.bar);
  const tabs = TABS.map(([view, words]) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${view}`,
        'aria-controls': 'panel',
        onclick: () => enter(view),
      },
      words,
    ),
  );
  const away = h(
    'div',
    { class: 'away', role: 'alert', hidden: true },
    'The server is not responding. Reconnecting…',
  );
  const panel = h('section', { class: 'panel', id: 'panel', role: 'tabpanel' });
  const app = document.getElementById('app');
  if (!app) return;
  fill(
    app,
    h('div', { class: 'progress', 'aria-hidden': 'true' }),
    h(
      'header',
      { class: 'top' },
      h('h1', {}, h('a', { href: '/' }, 'Tabiya')),
      h('nav', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' }, ...tabs),
      collections.button,
      tool('gear', 'Board and sound', '', () => look.open()),
      h(
        'button',
        {
          type: 'button',
          class: 'tool',
          'aria-label': 'Keyboard shortcuts',
          title: 'Keyboard shortcuts (?)',
          onclick: () => help.open(),
        },
        '?',
      ),
    ),
    away,
    h(
      'main',
      {},
      h('div', { class: 'left' }, desk.element, engine.element, desk.fenLine),
      h('div', { class: 'middle' }, desk.sheet.element, explorer.element),
      panel,
    ),
    viewer.element,
    look.element,
    collections.element,
    help.element,
    access.element,
    mountNotices(),
  );
  watchServer(away);
  void collections.load();
  void access.load();
}

/** Shows a banner while the server is away, and reloads the answers when it is back. */
function watchServer(banner: HTMLElement): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  addEventListener('server-away', () => {
    banner.hidden = false;
    timer ??= setInterval(() => void get('health', {}).catch(() => {}), 1500);
  });
  addEventListener('server-here', () => {
    if (banner.hidden) return;
    banner.hidden = true;
    clearInterval(timer);
    timer = undefined;
    answered = '';
    show(store.place, undefined, 'adjust');
  });
}

/** Shows a place; updates only what changed since `before`. */
function show(place: Place, before: Place | undefined, how: How): void {
  const fen = fenAt(place.line, place.at);
  const sameLine = before?.line === place.line && before.at === place.at && before.flipped === place.flipped;
  const same =
    sameLine &&
    before.settings === place.settings &&
    before.view === place.view &&
    before.other === place.other &&
    before.collections === place.collections &&
    before.pattern === place.pattern &&
    before.opponent === place.opponent &&
    before.engine === place.engine;
  askCollections(place.collections);
  if (before?.collections !== place.collections) collections.show(place.collections);
  play.see(place, isDue(place, before, how));
  // Requests go first: the server answers while the page draws.
  if (!same) askFor(place, fen);
  engine.see(fen);
  if (!sameLine || before.tree !== place.tree) desk.show(place);
  if (!same) {
    desk.mark([], new Map());
    settings.show(place.settings);
    showTab(place.view);
  }
  if (place.game) void viewer.open(place.game, gameView(place));
  else viewer.close();
  document.title = title(place);
}

function showTab(view: View): void {
  for (const [name] of TABS) {
    const tab = document.getElementById(`tab-${name}`);
    tab?.setAttribute('aria-selected', String(name === view));
  }
  const panel = document.getElementById('panel');
  const shown = TABS.find(([name]) => name === view)?.[2] ?? [];
  if (!panel) return;
  panel.setAttribute('aria-labelledby', `tab-${view}`);
  if (panel.firstChild !== shown[0]) {
    panel.replaceChildren(...shown);
    if (scrollY > 0) scrollTo(0, 0);
    const tab = document.getElementById(`tab-${view}`);
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  document.body.dataset['view'] = view;
}

/** What the list of similar positions and the table of moves answer, to ask once for all views. */
let answered = '';

/** Quick steps through a game send requests only where they stop. */
const askFor = patient(40, (place: Place, fen: string) => {
  const orientation = desk.orientation;
  const asked = JSON.stringify([fen, orientation, place.settings, place.collections]);
  // The table of moves shows similar positions in every view, so every view needs the search.
  if (asked !== answered) {
    void similar.ask(place.settings, around(place, fen));
    void explorer.ask(fen, place.settings);
  }
  answered = asked;
  if (place.view === 'find') {
    const { pattern: query, settings } = place;
    void find.ask({ query, fen, orientation, settings });
  }
  if (place.view === 'games') void games.ask(fen, place.settings);
  if (place.view === 'traps') void traps.ask(place.line, place.at, fen);
  if (place.view === 'compare') void compare.ask(fen, place.other, orientation);
  if (place.view === 'judge') void judge.ask(fen, orientation);
  if (place.view === 'play') void play.ask(place);
  if (place.view === 'review') review.see(writePgn(place.tree), place.at, place.collections);
  if (place.view === 'train') void train.ask(fen);
  if (place.view === 'prepare') void prepare.ask(place.opponent, place.collections);
});

function around(place: Place, fen: string): Around {
  const opened = (hit: Hit) => ({ game: openedAt(hit) });
  return {
    fen,
    orientation: place.flipped ? 'black' : 'white',
    show: (shapes, tints) => desk.mark(shapes, tints),
    open: (hit) => store.go(opened(hit)),
    list: (hit) => store.go({ line: { fen: hit.fen, moves: [] }, at: 0, view: 'games' }),
    compare: (hit) => store.go({ view: 'compare', other: hit.turned_fen }),
    find: (structure) => store.go({ view: 'find', pattern: `@${structure}` }),
    address: (hit) => toAddress({ ...store.place, ...opened(hit) }),
  };
}

const gameView = (place: Place) => (place.flipped ? 'black' : 'white');

function closeGame(): void {
  if (!store.place.game) return;
  const { game: _, ...rest } = store.place;
  store.go({ ...rest, game: undefined } as Partial<Place>);
}

/** Puts a game on the board at a ply, with its variations unless it has null moves. */
function searchFrom(game: GameMoves, ply: number): void {
  const read = readPgnTree(game.pgn);
  const path = game.moves.slice(0, ply).map((it) => it.uci);
  if (typeof read !== 'string' && childrenAt(read.tree, path)) {
    const { tree } = read;
    return store.go({
      tree,
      line: lineThrough(tree, path),
      at: ply,
      game: undefined,
      view: 'similar',
    } as Partial<Place>);
  }
  const moves = game.moves.map((it) => it.uci);
  const pass = moves.lastIndexOf('0000', ply - 1);
  const line =
    pass < 0
      ? { fen: game.fen, moves }
      : { fen: game.moves[pass]?.fen ?? game.fen, moves: moves.slice(pass + 1) };
  const cut = line.moves.indexOf('0000');
  const playable = cut < 0 ? line.moves : line.moves.slice(0, cut);
  store.go({
    line: { fen: line.fen, moves: playable },
    at: ply - (pass + 1),
    game: undefined,
    view: 'similar',
  } as Partial<Place>);
}

/** Reads dropped files: a game goes on the board, more than one become a collection. */
async function readFiles(files: readonly File[]): Promise<void> {
  const [file] = files;
  const isText = file && files.length === 1 && file.size < 2_000_000 && /\.(pgn|fen|txt)$/i.test(file.name);
  const text = isText ? await file.text() : '';
  const isOne = isText && text.split(/^\[Event /m).length <= 2 && text.split(/^\[White /m).length <= 2;
  if (isOne) desk.read(text);
  else await collections.import(files);
}

/** Goes to a view. In the play view the engine takes the side that is not to move, unless it has a side. */
function enter(view: View): void {
  const { line, at, engine } = store.place;
  store.go(view === 'play' ? { view, engine: engine ?? opponent(line, at) } : { view });
  // On a phone the view is below the board; in a game the board matters.
  if (NARROW.matches && view !== 'play') document.getElementById('panel')?.scrollIntoView();
}

function swapSides(): void {
  const { engine } = store.place;
  if (engine) store.adjust({ engine: otherSide(engine) });
}

function takeBack(): void {
  const to = takenBack(store.place);
  if (to !== undefined) store.adjust({ at: to });
}

function grade(given: number): void {
  if (store.place.view === 'judge') void (given <= 4 && judge.grade(given));
  else if (given > 0) desk.sheet.mark(given);
}

function compareWith(text: string): void {
  const read = readText(text);
  if (typeof read === 'string') notice(read, 'fault');
  else store.go({ other: fenAt(read.line, read.at) });
}

function title(place: Place): string {
  const words = TABS.find(([name]) => name === place.view)?.[1] ?? 'Tabiya';
  return place.view === 'similar' ? 'Tabiya' : `${words} · Tabiya`;
}

mount();
listen(shortcuts);
store.listen(show);
show(store.place, undefined, 'go');
const fault = faultOf(location.search);
if (fault) notice(`${fault} The address has no valid position, so this is the starting position.`, 'fault');
