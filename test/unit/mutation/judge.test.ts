import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { explanationsOf } from '../../mutation/explanations.ts'
import { judge } from '../../mutation/judge.ts'
import { type Mutant, mutantsOf } from '../../mutation/mutant.ts'

const root = join(import.meta.dirname, '../../..')
const place = (line: number, column: number) => ({ line, column })
const source = 'const few = (n: number) =>\n  n > 0 &&\n    n < 3\n'
const report = {
  files: {
    'lib/room/few.ts': {
      source,
      mutants: [
        { status: 'Killed', replacement: 'n >= 0', location: { start: place(2, 3), end: place(2, 8) } },
        { status: 'Survived', replacement: 'true', location: { start: place(2, 3), end: place(3, 10) } },
        { status: 'Timeout', replacement: 'n > 3', location: { start: place(3, 5), end: place(3, 10) } },
        {
          status: 'NoCoverage',
          replacement: `"${'x'.repeat(200)}"`,
          location: { start: place(3, 5), end: place(3, 10) },
        },
      ],
    },
  },
}
const survivor = { file: 'room/few.ts', line: 'n > 0 &&', change: 'n > 0 && n < 3 → true' }

test('a change is identified by its file, its line and what it replaces, wherever the line is', () => {
  const [first, second, third, fourth] = mutantsOf(report)
  assert.deepEqual(second, { ...survivor, lineNumber: 2, noticed: false, timedOut: false })
  assert.equal(first!.change, 'n > 0 → n >= 0')
  assert.deepEqual(
    [first, second, third, fourth].map(mutant => mutant!.noticed),
    [true, false, true, false],
  )
  assert.equal(fourth!.change, `n < 3 → "${'x'.repeat(79)}…`)
})

test('changes that go unnoticed are open until they are explained, and explanations go when they explain nothing', () => {
  const mutants: readonly Mutant[] = mutantsOf(report)
  const elsewhere = { ...survivor, file: 'other/file.ts', why: 'not part of this run' }
  const wrong = { ...survivor, change: 'n > 0 → n >= 0', why: 'a test notices it' }
  const unexplained = judge(mutants, [wrong, elsewhere])
  assert.deepEqual(unexplained.open, [mutants[1], mutants[3]])
  assert.deepEqual(unexplained.obsolete, [wrong])
  const explained = judge(mutants, [{ ...survivor, why: 'n is never more than 2' }])
  assert.deepEqual(explained.open, [mutants[3]])
  assert.deepEqual(explained.obsolete, [])
  assert.deepEqual(explained.scores, { 'room/few.ts': { changes: 4, noticed: 2, explained: 1 } })
})

test('a change that is explained to cost time is explained also where time was up', () => {
  const mutants = mutantsOf(report)
  const slow = { file: 'room/few.ts', line: 'n < 3', change: 'n < 3 → n > 3', why: 'a quick way' }
  assert.deepEqual(judge(mutants, [slow]).obsolete, [])
  assert.deepEqual(judge(mutants, [slow]).scores, { 'room/few.ts': { changes: 4, noticed: 1, explained: 1 } })
})

test('every explanation is about a line that is there', async () => {
  const rooms = globSync('*.ts', { cwd: join(root, 'test/mutation/explained') }).map(file => file.slice(0, -3))
  const all = (await Promise.all(rooms.map(explanationsOf))).flat()
  const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [])
  const lost = all.filter(({ file, line }) => !linesOf(join(root, 'lib', file)).some(each => each.trim() === line))
  assert.deepEqual(lost, [])
})
