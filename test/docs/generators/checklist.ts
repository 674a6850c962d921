import { existsSync } from 'node:fs'
import { checklistPages, provenBy } from '../../conformance/checklist.ts'
import { corpusFile } from '../../conformance/corpus.ts'
import type { Generator } from '../generator.ts'

const directory = corpusFile('../checklist')

/** docs/checklist.md: which test shows which statement true. The statements themselves are no part of the project. */
export const checklist: Generator = {
  name: 'checklist',
  cannotRun: () =>
    existsSync(directory) ? undefined : `no checklist at ${directory}: KEELSON_CONFORMANCE names the folder beside it`,
  make: () => ({ 'docs/checklist.md': page() }),
}

/** Pages of the checklist, and what they are about. */
const subjects: Readonly<Record<string, string>> = {
  kustomization: 'Kustomization',
  ocirepository: 'OCIRepository',
  helmchart: 'HelmChart, HelmRepository',
  resourceset: 'ResourceSet, ResourceSetInputProvider',
  'exec-plugins': 'kustomize plugins (KEP-993 and KRM functions)',
}

const page = (): string => {
  const proven = provenBy()
  const chapters = checklistPages(directory).map(({ name, items }) => {
    const numbers = items.map(({ number }) => number)
    const missing = numbers.filter(number => !proven.has(number))
    const title = subjects[name] ?? name
    return { title, numbers, missing, proven: numbers.length - missing.length }
  })
  const rows = chapters.map(({ title, numbers, proven, missing }) =>
    row(title, `${numbers[0]} – ${numbers.at(-1)}`, `${proven} of ${numbers.length}`, ranges(missing, numbers)),
  )
  return `# The checklist

What the documents of the original tools define was written down as ${chapters.flatMap(({ numbers }) => numbers).length} numbered statements, each of which a test can show true or false. This page says
which test shows which. Made by \`npm run docs\` from the titles of the tests, which carry the numbers: \`grep -rn KS-024 test\` finds those of one. Where Keelson
differs from the originals is told in [compatibility.md](compatibility.md).

${table(['kind', 'statements', 'shown', 'not shown by a test'], rows)}
${chapters.map(({ title, numbers }) => chapter(title, numbers, proven)).join('\n')}`
}

/** The tests of a page, each with the statements that it shows, in the order of the first. */
const chapter = (title: string, numbers: readonly string[], proven: ReturnType<typeof provenBy>): string => {
  const byTest = new Map<string, string[]>()
  for (const number of numbers)
    for (const test of proven.get(number) ?? []) byTest.set(test, [...(byTest.get(test) ?? []), number])
  const rows = [...byTest].sort(([a], [b]) => (a < b ? -1 : 1))
  return `## ${title}\n\n${table(
    ['test', 'shows'],
    rows.map(([test, shown]) => row(isFile(test) ? `[${test.slice(5)}](../${test})` : test, ranges(shown, numbers))),
  )}`
}

const isFile = (test: string): boolean => test.startsWith('test/')

/** `KS-024 – 027, KS-030`: numbers that follow each other on their page are drawn together. */
const ranges = (numbers: readonly string[], all: readonly string[]): string => {
  const runs: [string, string][] = []
  for (const number of numbers) {
    const last = runs.at(-1)
    if (last && all.indexOf(number) === all.indexOf(last[1]) + 1) last[1] = number
    else runs.push([number, number])
  }
  return runs.map(([from, to]) => (from === to ? from : `${from} – ${to.slice(3)}`)).join(', ')
}

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')

const table = (heads: readonly string[], rows: readonly string[]): string =>
  `${[row(...heads), row(...heads.map(() => '---')), ...rows].join('\n')}\n`
