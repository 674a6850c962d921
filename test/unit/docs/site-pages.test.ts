import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { flowchartSvg } from '../../../.ci/site/flowchart.ts'
import { sitePage, sitePath } from '../../../.ci/site/pages.ts'
import { folders, sidebar } from '../../../.ci/site/sidebar.ts'

const files = new Set([
  'README.md',
  'docs/a.md',
  'docs/examples/README.md',
  'docs/console/light.png',
  'docs/decisions/0001-x.md',
])
const noPicture = (): string => assert.fail('there is no flowchart')

test('the README is the first page, and the page of a folder is its index', () => {
  assert.equal(sitePath('README.md'), 'index.md')
  assert.equal(sitePath('docs/examples/README.md'), 'examples/index.md')
  assert.equal(sitePath('docs/examples/fleet/hub.yaml'), undefined)
})

for (const [path, written, shown] of [
  ['README.md', '[a](docs/a.md#part)', '[a](./a.md#part)'],
  ['README.md', '[examples](docs/examples)', '[examples](./examples/index.md)'],
  ['docs/examples/README.md', '[home](../../README.md)', '[home](./../index.md)'],
  ['docs/a.md', '[`x`](decisions/0001-x.md) and [1](#one)', '[`x`](./decisions/0001-x.md) and [1](#one)'],
  ['docs/a.md', 'see [the test](../test/a.test.ts)', 'see the test'],
  ['docs/a.md', '[Flux](https://fluxcd.io/x)', '[Flux](https://fluxcd.io/x)'],
  ['docs/a.md', '![light](console/light.png)', '![light](./console/light.png)'],
  ['docs/a.md', 'a\n<!-- note -->\n\nb', 'a\nb'],
] as const)
  test(`on the site, ${written.replaceAll('\n', ' ')} of ${path} is ${shown.replaceAll('\n', ' ')}`, () => {
    assert.equal(sitePage(path, written, files, noPicture), shown)
  })

test('what is in a fence stays as it is', () => {
  const text = '```md\n[a](docs/a.md) <!-- x -->\n```\n'
  assert.equal(sitePage('README.md', text, files, noPicture), text)
})

test('a flowchart becomes a picture beside the page', () => {
  const text = 'Before\n\n```mermaid\nflowchart TB\n  a --> b\n```\n\nafter'
  const shown = sitePage('docs/a.md', text, files, flowchart => {
    assert.equal(flowchart, 'flowchart TB\n  a --> b\n')
    return 'a-1.svg'
  })
  assert.equal(shown, 'Before\n\n![Flowchart](./a-1.svg)\n\nafter')
})

test('the picture has every node, an arrow for each edge, and refuses what it does not know', () => {
  const svg = flowchartSvg('flowchart TB\n  a["first: <x>, y"]\n  a --> b & c\n')
  assert.deepEqual(svg.match(/<rect/g)?.length, 3)
  assert.deepEqual(svg.match(/<polyline/g)?.length, 2)
  assert.match(svg, />first: &lt;x&gt;, y</)
  assert.throws(() => flowchartSvg('flowchart TB\n  a -.-> b\n'), /another form: a -\.-> b/)
})

test('every page of the docs has one place in the sidebar, or is in a folder that one of its pages lists', () => {
  const root = join(import.meta.dirname, '../../..')
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].map(path =>
    sitePath(path)!.replace(/\.md$/, ''),
  )
  const listed = sidebar.flatMap(({ pages }) => pages)
  assert.equal(new Set(listed).size, listed.length)
  assert.deepEqual(
    listed.filter(page => !pages.includes(page)),
    [],
  )
  const inFolder = (page: string) => folders.some(folder => page.startsWith(`${folder}/`))
  assert.deepEqual(
    pages.filter(page => !listed.includes(page) && !inFolder(page)),
    [],
  )
})
