/** Reporter of Node's test runner that prints how much of each room of lib the tests that ran went through. */
import { relative, sep } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

interface Counted {
  readonly path: string
  readonly totalLineCount: number
  readonly coveredLineCount: number
  readonly totalBranchCount: number
  readonly coveredBranchCount: number
}

export default async function* coverage(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === 'test:coverage') yield table(event.data.summary.files, event.data.summary.workingDirectory)
  }
}

const table = (files: readonly Counted[], root: string): string => {
  const rooms = Object.groupBy(files, ({ path }) => relative(root, path).split(sep).slice(0, 2).join('/'))
  const rows = Object.entries({ ...rooms, all: [...files] }).map(([room, of = []]) => {
    const sum = (field: Exclude<keyof Counted, 'path'>) => of.reduce((total, file) => total + file[field], 0)
    const lines = share(sum('coveredLineCount'), sum('totalLineCount'))
    const branches = share(sum('coveredBranchCount'), sum('totalBranchCount'))
    return `${room.padEnd(24)}${lines.padStart(8)}${branches.padStart(10)}`
  })
  return ['', `${''.padEnd(24)}${'lines'.padStart(8)}${'branches'.padStart(10)}`, ...rows, ''].join('\n')
}

const share = (covered: number, total: number): string =>
  total === 0 ? '-' : `${((covered / total) * 100).toFixed(1)} %`
