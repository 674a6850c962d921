import {
  type ChecklistPage,
  checklistPages,
  recordedIds,
  recordedIdsFile,
  shownBy,
} from '../../conformance/checklist.ts'
import type { Generator } from '../generator.ts'

/**
 * docs/checklist.md: which test shows which statement of docs/checklist. What Flux's recordings show is kept in a file,
 * from which the page is made where the recordings are absent.
 */
export const checklist: Generator = {
  name: 'checklist',
  make: () => ({
    'docs/checklist.md': page(),
    [recordedIdsFile]: `${JSON.stringify(recordedIds(), undefined, 2)}\n`,
  }),
}

const page = (): string => {
  const pages = checklistPages()
  const shown = shownBy()
  const total = pages.reduce((sum, { statements }) => sum + statements.length, 0)
  return `# The checklist

What the documents of the original tools define, and what their controllers do, is written down in ${total} numbered statements, each of which a test can show true or false.
This page tells which test shows which. It is made by \`npm run docs\` from the titles of the tests, which carry the numbers: \`grep -rn KS-024 test\` finds those of one, and
\`grep -rn KS-024 docs/checklist\` its statement. Where Keelson differs from the originals is told in [compatibility.md](compatibility.md).

${table(
  ['kind', 'statements', 'shown', 'not shown by a test'],
  pages.map(page => summary(page, shown)),
)}
${pages.map(page => chapter(page, shown)).join('\n')}`
}

type Shown = ReturnType<typeof shownBy>

const idsOf = ({ statements }: ChecklistPage): string[] => statements.map(({ id }) => id)

const linkTo = ({ file }: ChecklistPage, text: string): string => `[${text}](checklist/${file})`

const summary = (page: ChecklistPage, shown: Shown): string => {
  const ids = idsOf(page)
  const missing = ids.filter(id => !shown.has(id))
  const span = linkTo(page, `${ids[0]} – ${ids.at(-1)}`)
  return row(page.title, span, `${ids.length - missing.length} of ${ids.length}`, ranges(missing, ids))
}

/** The tests of a page, each with the statements that it shows, by path. */
const chapter = (page: ChecklistPage, shown: Shown): string => {
  const ids = idsOf(page)
  const byTest = new Map<string, string[]>()
  for (const id of ids) for (const test of shown.get(id) ?? []) byTest.set(test, [...(byTest.get(test) ?? []), id])
  const rows = [...byTest].sort(([a], [b]) => (a < b ? -1 : 1))
  return `## ${page.title}

The statements: ${linkTo(page, `checklist/${page.file}`)}

${table(
  ['test', 'shows'],
  rows.map(([test, found]) => row(isFile(test) ? `[${test.slice(5)}](../${test})` : test, ranges(found, ids))),
)}`
}

const isFile = (test: string): boolean => test.startsWith('test/')

/** `KS-024 – 027, KS-030`: ids that follow each other on their page are drawn together. */
const ranges = (ids: readonly string[], all: readonly string[]): string => {
  const runs: [string, string][] = []
  for (const id of ids) {
    const last = runs.at(-1)
    if (last && all.indexOf(id) === all.indexOf(last[1]) + 1) last[1] = id
    else runs.push([id, id])
  }
  return runs.map(([from, to]) => (from === to ? from : `${from} – ${to.slice(3)}`)).join(', ')
}

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')

const table = (heads: readonly string[], rows: readonly string[]): string =>
  `${[row(...heads), row(...heads.map(() => '---')), ...rows].join('\n')}\n`
