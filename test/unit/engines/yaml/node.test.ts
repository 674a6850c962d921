import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emitNode } from '../../../../lib/engines/yaml/emit-node.ts'
import { fromJson } from '../../../../lib/engines/yaml/from-json.ts'
import { goJsonIndented } from '../../../../lib/engines/yaml/go-json.ts'
import { isObject, type JsonObject, type JsonValue, setKey } from '../../../../lib/engines/yaml/json-value.ts'
import {
  type Comments,
  clearField,
  cloneNode,
  cloneShared,
  commentsOf,
  field,
  indexOfKey,
  isMissing,
  isNull,
  lookup,
  mapNode,
  scalarNode,
  seqNode,
  setField,
  stringNode,
  YamlNode,
} from '../../../../lib/engines/yaml/node.ts'
import { parseNodes, parseYaml } from '../../../../lib/engines/yaml/parse.ts'
import { parseWithComments } from '../../../../lib/engines/yaml/parse-with-comments.ts'
import { resolvesToOtherType } from '../../../../lib/engines/yaml/resolves-to-other-type.ts'
import { toJson } from '../../../../lib/engines/yaml/to-json.ts'
import { unsupportedPath } from '../../../../lib/engines/yaml/unsupported-path.ts'

const read = (text: string): YamlNode => parseNodes(text)[0]!

test('every node knows the line it began in', () => {
  const lines = (node: YamlNode): unknown => [node.line, ...node.content.map(lines)]
  const text = 'a: &x\n  - 1\n  - [b: c]\nd:\ne: *x\n? !t\n  f: g\n: {h,\n  i: }\n'
  const sequence = [2, [2], [3, [3, [3], [3]]]]
  const flow = [8, [8], [8], [9], [9]]
  assert.deepEqual(lines(read(text)), [1, [1], [1, ...sequence.slice(1)], [4], [4], [5], [5], [6, [7], [7]], flow])
})

test('what stood in brackets is written in brackets elsewhere', () => {
  const [pair, list, map] = read('[a: b, [c], {d: e}]\n').content
  assert.deepEqual(
    [pair, list, map].map(node => emitNode(node!)),
    ['{a: b}\n', '[c]\n', '{d: e}\n'],
  )
})

test('fields are found, set and taken out by their names', () => {
  const map = read('a: 1\nb: {c: {d: 2}}\n')
  assert.equal(field(map, 'a')?.value, '1')
  assert.equal(field(map, '1'), undefined)
  assert.equal(field(read('[a, b]'), 'a'), undefined)
  assert.equal(field(undefined, 'a'), undefined)
  assert.equal(lookup(map, 'b', 'c', 'd')?.value, '2')
  assert.equal(lookup(map, 'b', 'x', 'd'), undefined)
  assert.deepEqual([indexOfKey(map, 'a'), indexOfKey(map, 'b'), indexOfKey(map, '1')], [0, 2, -1])

  setField(map, 'a', scalarNode('3'))
  setField(map, 'e', stringNode('4'))
  setField(map, '5', seqNode())
  assert.equal(emitNode(map), 'a: 3\nb: {c: {d: 2}}\ne: "4"\n"5": []\n')
  assert.deepEqual([clearField(map, 'b'), clearField(map, 'b'), clearField(map, 'e')], [true, false, true])
  assert.equal(emitNode(map), 'a: 3\n"5": []\n')
  assert.equal(clearField(map, 'a'), true)
  assert.equal(emitNode(map), '"5": []\n')
})

test('what is null counts as missing', () => {
  const [none, some] = [read('~'), read('x')]
  assert.deepEqual([isNull(none), isNull(some), isNull(undefined)], [true, false, false])
  assert.deepEqual([isMissing(none), isMissing(some), isMissing(undefined)], [true, false, true])
  assert.equal(isNull(read('a:\n').content[1]), true)
})

test('a lone exclamation mark leaves lists, mappings and quoted texts what they are', () => {
  const { content } = read('a: ! [b]\nc: ! {d: e}\nf: ! "1"\ng: ! |\n  1\nh: !\n  i: j\n')
  assert.deepEqual(
    [1, 3, 5, 7, 9].map(at => content[at]!.tag),
    ['!!seq', '!!map', '!!str', '!!str', '!!map'],
  )
})

test('a copy is written as its original, and changes without it', () => {
  const text = '# head\na: &x !t [1] # line\nb: *x\n# foot\n\nc: "2"\n'
  for (const copied of [cloneNode, (node: YamlNode) => cloneShared(node, new Map())]) {
    const { root, ...comments } = parseWithComments(text)!
    const copy = copied(root)
    assert.deepEqual(copy, root)
    copy.content[0]!.comments!.head = '# other'
    copy.content[1]!.content.pop()
    copy.content[1]!.anchor = 'y'
    assert.equal(emitNode(root, comments), text)
  }
})

test('aliases of a copy mean what they meant, or its own copy of it', () => {
  const root = read('a: &x [1]\nb: *x\n')
  assert.equal(cloneNode(root).content[3]!.alias, root.content[1])
  const copy = cloneShared(root, new Map())
  assert.equal(copy.content[3]!.alias, copy.content[1])
  assert.notEqual(copy.content[1], root.content[1])
  const twice = seqNode([root, root])
  const copied = cloneShared(twice, new Map())
  assert.equal(copied.content[0], copied.content[1])
})

test('values that code puts into a document keep their types', () => {
  const values = [
    '1',
    'yes',
    '',
    'a\nb',
    ' a',
    ' 1',
    1,
    1.5,
    1e21,
    -7,
    2n ** 63n,
    true,
    null,
    [],
    {},
    [[1], { b: [2] }],
  ]
  const written = emitNode(fromJson({ z: values, a: { 10: 1, 9: 2 } }))
  assert.equal(
    written,
    'a:\n  "9": 2\n  "10": 1\nz:\n- "1"\n- yes\n- ""\n- |-\n  a\n  b\n- \' a\'\n- \' 1\'\n- 1\n- 1.5\n- 1e+21\n- -7\n' +
      '- 9223372036854775808\n- true\n- null\n- []\n- {}\n- - - 1\n  - b:\n    - 2\n',
  )
  assert.deepEqual(parseYaml(written, { schema: 'kyaml' }), [{ z: values, a: { 10: 1, 9: 2 } }])
  const plain = mapNode([
    stringNode('a'),
    scalarNode('1', '!!str', 'flow'),
    stringNode('b'),
    scalarNode('1', '', 'flow'),
  ])
  assert.equal(emitNode(plain), 'a: "1"\nb: 1\n')
})

test('what code changed reads as if it had been written and read again', () => {
  const outcome = (root: YamlNode): unknown => {
    try {
      return toJson(root, { schema: 'kyaml' })
    } catch (fault) {
      return (fault as Error).message
    }
  }
  const places: readonly ((scalar: () => YamlNode) => YamlNode)[] = [
    scalar => mapNode([stringNode('a'), scalar()]),
    scalar => mapNode([scalar(), scalarNode('v')]),
    scalar => mapNode([stringNode('a'), mapNode([scalar(), scalarNode('v')])]),
    scalar =>
      seqNode([
        new YamlNode('seq', '!!seq', '', 'flow', [
          scalar(),
          mapNode([stringNode('b'), scalar(), stringNode('c'), scalar()]),
        ]),
      ]),
  ]
  const texts = ['1', '1.5', 'yes', 'true', 'x', '', '~', 'null', '2001-01-01', '.inf', 'a b', '0x1', 'a\nb', '1\n']
  const tags = ['', '!x', ...['str', 'int', 'float', 'bool', 'null', 'merge', 'timestamp'].map(tag => `!!${tag}`)]
  for (const place of places)
    for (const tag of tags)
      for (const style of ['', 'flow', 'single', 'double', 'literal'] as const)
        for (const text of texts) {
          const written = emitNode(place(() => scalarNode(text, tag, style)))
          assert.deepEqual(outcome(place(() => scalarNode(text, tag, style))), outcome(read(written)), written)
        }
})

// As go-yaml writes the trees that sops makes of the same: `unsealed.ts` has their texts.
test('a comment behind a block comes out behind what is written next, one below it at the end', () => {
  const commented = (node: YamlNode, comments: Partial<Comments>) => Object.assign(commentsOf(node), comments) && node
  const block = (text: string, comments: Partial<Comments>) => commented(read(text), comments)
  const written = (...items: YamlNode[]) =>
    emitNode(mapNode([stringNode('a'), seqNode(items)]), { level: 4, indentLists: true })
  assert.equal(
    written(block('b: c\n', { line: '# x' }), block('- d\n', { line: '# y' }), block('- e: f\n', { line: '# z' })),
    'a:\n    - b: c\n    - # x\n      - d\n    - # y\n      - e: f\n',
  )
  assert.equal(
    written(block('b: c\n', { line: '# x' }), block('d: e\n', { line: '# y' }), scalarNode('f')),
    'a:\n    - b: c\n    - # x\n      d: e\n    - f # y\n',
  )
  assert.equal(
    written(read('- b\n'), block('c: d\n', { head: '# foot', line: '# line', foot: '# end' })),
    'a:\n    - - b\n    # foot\n    - c: d\n\n# end\n',
  )
  assert.equal(written(block('- h\n', { line: '# z' }), seqNode()), 'a:\n    - - h\n    - # z\n[]\n')
})

test('texts that read as something else are distinguished from others', () => {
  const others = ['1', 'true', 'yes', 'null', '~', '[a]', '{a: b}', '- a', 'a: b', '1.5', '0x1', '# a', ' ']
  const texts = ['', 'a', 'abc-1', 'a b', '1 2', '"1"', '2001-01-01', 'a: b: c', '[a', '1\n', 'fa', 'none', 'é']
  assert.deepEqual(
    [...new Set(others.map(resolvesToOtherType)), ...new Set(texts.map(resolvesToOtherType))],
    [true, false],
  )
})

test('names the place of what JSON does not have', () => {
  const places: readonly (readonly [unknown, string | undefined])[] = [
    [{ a: [1, { b: Number.NaN }] }, 'a[1].b'],
    [{ a: { b: new Map() } }, 'a.b'],
    [[[Number.POSITIVE_INFINITY]], '[0][0]'],
    [Number.NEGATIVE_INFINITY, ''],
    [{ a: [null, 'x', 1n, { b: true }] }, undefined],
    [{ a: null, b: Number.NaN }, 'b'],
  ]
  for (const [value, place] of places) assert.equal(unsupportedPath(value as JsonValue), place)
})

test('JSON is indented as Go indents it', () => {
  const text = '{\n  "a": [\n    1,\n    {\n      "x": "\\u003c"\n    }\n  ],\n  "b": {},\n  "c": [],\n  "d": null\n}'
  assert.equal(goJsonIndented({ d: null, b: {}, c: [], a: [1, { x: '<' }] }), text)
})

test('a key of another name does no harm', () => {
  const [data] = parseYaml('a: {__proto__: 1}\nconstructor: 2\n') as [{ a: object }]
  assert.deepEqual(Object.entries(data.a), [['__proto__', 1]])
  assert.deepEqual(Object.keys(data), ['a', 'constructor'])
  const object: JsonObject = {}
  setKey(object, '__proto__', 1)
  Object.assign(object, JSON.parse('{"__proto__": 2}'))
  assert.deepEqual(Object.entries(object), [['__proto__', 2]])
  Reflect.deleteProperty(object, '__proto__')
  assert.deepEqual(Object.entries(object), [])
})

test('what code puts into a document says what it is', () => {
  const tagOf = (value: JsonValue) => fromJson(value).tag
  assert.deepEqual(['a', true, 1, 1n, 1.5, -7, null, [], {}].map(tagOf), [
    ...['!!str', '!!bool', '!!int', '!!int', '!!float', '!!int', '!!null', '!!seq', '!!map'],
  ])
  assert.deepEqual(
    [mapNode(), seqNode()].flatMap(({ value, style }) => [value, style]),
    ['', '', '', ''],
  )
})

test('a tag that code gave a list or a mapping is written', () => {
  const odd = (kind: 'map' | 'seq', tag: string) => new YamlNode(kind, tag, '', '', [stringNode('a'), stringNode('b')])
  const root = seqNode([odd('map', '!x'), odd('seq', '!y'), odd('map', '!!seq'), odd('seq', '!!map')])
  assert.equal(emitNode(root), '- !x\n  a: b\n- !y\n  - a\n  - b\n- !!seq\n  a: b\n- !!map\n  - a\n  - b\n')
})

test('objects are distinguished from lists and from what is none', () => {
  assert.deepEqual([{}, { a: 1 }, [], [1], null, 'a', 1, undefined].map(isObject), [
    ...[true, true, false, false, false, false, false, false],
  ])
})

// As libyaml's emitter chooses: texts that code put there, as others are read in quotes already.
test('strings get the quotes that they need in their position', () => {
  const texts = ['a,b', 'a?b', 'a[b', 'a]b', 'a{b', 'a}b', 'a:b', '?b', ':b', '-b', 'a b', 'a#b']
  const list = (style: 'flow' | '') => emitNode(Object.assign(seqNode(texts.map(text => stringNode(text))), { style }))
  assert.equal(list(''), texts.map(text => `- ${text}\n`).join(''))
  const quoted = texts.map(text => (/[,?[\]{}:]/.test(text) ? `'${text}'` : text))
  assert.equal(list('flow'), `[${quoted.join(', ')}]\n`)
  const single = (text: string) => emitNode(scalarNode(text, '!!str', 'single'))
  assert.deepEqual(['a\nb', 'a\n b', 'a \nb', 'a\n', ' a'].map(single), [
    "'a\n\n  b'\n",
    '"a\\n b"\n',
    '"a \\nb"\n',
    "'a\n\n'\n",
    "' a'\n",
  ])
})

test('a comment that code made begins as comments do', () => {
  const root = read('a: 1\n')
  Object.assign(commentsOf(root.content[0]!), { head: 'head\n# more', foot: 'foot' })
  assert.equal(emitNode(root), '# head\n# more\na: 1\n# foot\n')
})

test('characters that are none are written by their numbers', () => {
  const text = 'a: "\\uFFFEx\\uFFFFy\\U0001FFFF"\n'
  assert.equal(emitNode(parseNodes(text)[0]!), text)
})

test('a key of << that says nothing of its type merges', () => {
  for (const tag of ['', '!!merge']) {
    const key = scalarNode('<<', tag)
    assert.deepEqual(toJson(mapNode([key, parseNodes('{a: 1}')[0]!]), { schema: 'kyaml' }), { a: 1 })
  }
  const text = mapNode([stringNode('<<'), stringNode('a')])
  assert.deepEqual(toJson(text, { schema: 'kyaml' }), { '<<': 'a' })
})
