import { type Trees, tree } from './tree.ts'

const files = {
  'all.yaml': `apiVersion: v1
kind: Data
metadata: {name: a}
map: {text: x, number: 5, float: 1.5, yes: true, none: null, big: 9007199254740993}
list: [one, 2, {three: 3}, [4, five], null]
empty: {map: {}, list: [], text: ""}
"a/b~c": {"~1": x, "": {"": y}}
0: {"-": z, "1": w}
`,
}

/** Operations on that object, as JSON. */
const operations = (...list: unknown[]) =>
  tree(`resources: [all.yaml]\npatches:\n- {path: p.json, target: {name: a}}\n`, {
    ...files,
    'p.json': JSON.stringify(list),
  })

/** The same as a text that may be anything. */
const text = (patch: string) =>
  tree(`resources: [all.yaml]\npatches:\n- {path: p.yaml, target: {name: a}}\n`, { ...files, 'p.yaml': patch })

const add = (path: unknown, value: unknown = 'new') => ({ op: 'add', path, value })
const replace = (path: unknown, value: unknown = 'new') => ({ op: 'replace', path, value })
const remove = (path: unknown) => ({ op: 'remove', path })
const move = (from: unknown, path: unknown) => ({ op: 'move', from, path })
const copy = (from: unknown, path: unknown) => ({ op: 'copy', from, path })
const test = (path: unknown, value?: unknown) => ({ op: 'test', path, value })

const PATHS = [
  '',
  '/',
  'map/text',
  '/map/none',
  '/map/new',
  '/map/text/deeper',
  '/map/none/deeper',
  '/map/new/deeper',
  '/list/+1',
  '/list/2/three',
  '/list/5',
  '/list/6',
  '/list/-',
  '/list/-1',
  '/list/-5',
  '/list/-6',
  '/list/-7/x',
  '/list/x"y',
  '/list/1x',
  '/list/x1',
  '/list/02',
  '/list/10',
  '/empty/list/0',
  '/empty/list/-1',
  '/a~1b~0c/~01',
  '/a~1b~0c//',
  '/0/-',
  '/toString',
  null,
  5,
  ['/map'],
]

const reaching = (operation: (path: unknown) => object) => PATHS.map(path => operations(operation(path)))

export const trees: Trees = {
  'every place that there is can be added to, and of others it is said why not': reaching(add),
  'every place that there is can be removed, and of others it is said why not': reaching(remove),
  'every place that there is can be replaced, and of others it is said why not': reaching(replace),
  'every place that there is can be copied, and of others it is said why not': reaching(path =>
    copy(path, '/map/copied'),
  ),
  'every place that there is can be copied to, and of others it is said why not': reaching(path =>
    copy('/map/text', path),
  ),
  'every place that there is can be moved, and of others it is said why not': reaching(path => move(path, '/list/0')),
  'every place that there is can be moved to, and of others it is said why not': reaching(path =>
    move('/map/text', path),
  ),
  'every place that there is can be tested, and of others it is said why not': reaching(path => test(path, 'nothing')),
  'operations lack what they need, or are none': [
    operations({ op: 'add', path: '/map/a' }),
    operations({ op: 'replace', path: '/map/text' }),
    operations({ op: 'test', path: '/map/none' }),
    operations({ op: 'test', path: '/map/text' }),
    operations({ op: 'test', path: '/map/new' }),
    ...['add', 'remove', 'replace', 'move', 'copy', 'test'].map(op => operations({ op })),
    operations({ op: 'move', from: '/map/text' }),
    operations({ op: 'copy', from: '/map/text' }),
    operations({ op: 'move', path: '/map/text' }),
    operations({ op: 'copy', path: '/map/text' }),
    operations({ op: 'Add', path: '/x' }),
    operations({ op: '', path: '/x' }),
    operations({ op: 5, path: '/x' }),
    operations({ op: null }),
    operations({}),
    operations(null),
    operations(add('/map/a'), { op: 'unknown' }),
    operations(replace('', { apiVersion: 'v1', kind: 'Other', metadata: { name: 'b' } }), add('/x')),
    operations(replace('', null)),
    operations(replace('', 5)),
    operations(...['__proto__', 'constructor'].map(key => add(`/${key}`, { a: 'b' }))),
    ...[
      'true',
      '5',
      'text',
      '"a"',
      '{"a": 1}',
      '[true]',
      '["a"]',
      '[[]]',
      '[1.5]',
      '- a\n',
      '- [a]\n',
      '- 5\n',
      '- true\n',
    ].map(text),
    text(
      '- op: add\n  path: /map/x\n  value: {a: 0644, b: 1e3, c: 1.0, d: yes, e: ~, f: 0x10, g: 9007199254740993, h: 2024-01-01}\n',
    ),
    text('- {op: add, op: remove, path: /map/text}\n- {op: add, path: /x, value: 1, value: 2}\n'),
    text(
      '[{"op": "add", "path": "/map/x", "value": {"a": 644, "b": 1e3, "c": 1.0, "d": "yes", "e": null, "g": 9007199254740993}}]',
    ),
    text('[{op: add, path: /map/x, value: 1}]'),
    text('[{"op": "add", "path": "/map/x", "value": 1},]'),
    text(' [{"op": "add", "path": "/map/x", "value": [1]}]\n'),
    text('- {op: remove, path: /map}\n---\n- {op: remove, path: /list}\n'),
  ],
  'a test holds when the values are the same': [
    operations(
      test('/map/text', 'x'),
      test('/map/number', 5),
      test('/map/float', 1.5),
      test('/map/yes', true),
      test('/map/none', null),
      test('/map/new', null),
      test('/list', ['one', 2, { three: 3 }, [4, 'five']].slice(0, 0).concat([])) &&
        test('/empty', { map: {}, list: [], text: '' }),
      test('/empty', { text: '', list: [], map: {} }),
      test('/list/2', { three: 3 }),
      test('/list/3', [4, 'five']),
      test('/list/-2', [4, 'five']),
      test('/a~1b~0c', { '~1': 'x', '': { '': 'y' } }),
    ),
    ...[
      ['/map/text', 'y'],
      ['/map/text', null],
      ['/map/text', ['x']],
      ['/map/text', { x: 'x' }],
      ['/map/number', '5'],
      ['/map/number', 6],
      ['/map/yes', false],
      ['/map/yes', 'true'],
      ['/map/none', ''],
      ['/map/none', {}],
      ['/empty/map', null],
      ['/empty/map', []],
      ['/empty/map', { a: null }],
      ['/empty/list', {}],
      ['/empty/list', ''],
      ['/empty/list', [1]],
      ['/empty/text', null],
      ['/empty', { map: {}, list: [], text: 'x' }],
      ['/list/2', {}],
      ['/list/2', { four: 3 }],
      ['/list/2', { three: 4 }],
      ['/list/2', { three: 3, four: 4 }],
      ['/list/2', [3]],
      ['/list/3', [4]],
      ['/list/3', ['five', 4]],
      ['/list/3', [4, 'six']],
      ['/list/3', [4, 'five', 6]],
      ['/list/3', { 0: 4, 1: 'five' }],
      ['', {}],
      ['', { apiVersion: 'v1' }],
    ].map(([path, value]) => operations(test(path, value))),
  ],
  'operations build on those before, and change nothing of each other': [
    operations(
      add('/new', { list: [] }),
      copy('/new', '/other'),
      add('/new/list/-', 1),
      add('/new/list/0', 0),
      add('/new/list/-1', 2),
      add('/new/list/-2', 1.5),
      move('/new/list/0', '/new/list/-'),
      copy('/new', '/new/inner'),
      add('/new/inner/list', 'changed'),
      replace('/list/0', [{}]),
      add('/list/0/0/deep', true),
      remove('/list/-1'),
      move('/map', '/list/1'),
    ),
    operations(add('/a', {}), add('/a/b', null), add('/a/b/c', 1)),
    operations(move('/map', '/map/inner')),
    operations(copy('/map', '/map/inner'), copy('/list', '/list/-'), move('/list/5', '/list/0')),
    tree('resources: [all.yaml, b.yaml]\npatches:\n- {path: p.json, target: {kind: Data}}\n', {
      ...files,
      'b.yaml': 'apiVersion: v1\nkind: Data\nmetadata: {name: b}\n',
      'p.json': JSON.stringify([add('/x', { y: [] }), add('/x/y/-', 1), add('/x/z', 2)]),
    }),
  ],
}
