import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RunPlace, RunRecord } from '../../lib/platform/ports/runs.ts'
import { type OpenStoreWorld, within } from './store-world.ts'

const day = 24 * 60 * 60_000

/** What every platform must do with the record of runs. */
export function describeRuns(name: string, open: OpenStoreWorld): void {
  const recordAt = (startedAt: number, more: Partial<RunRecord> = {}): RunRecord => ({
    namespace: 'apps',
    name: `kustomization-a-${startedAt}`,
    startedAt,
    unit: 'Kustomization/a',
    body: Buffer.from(`body of ${startedAt}`),
    facts: '\nresult=Succeeded\n',
    repeats: 0,
    expires: startedAt + day,
    ...more,
  })
  const namesOf = (records: readonly RunPlace[]) => records.map(({ name }) => name)
  const plain = (record: RunRecord | undefined) =>
    record && { ...record, body: Buffer.from(record.body).toString(), expires: undefined }

  describe(`runs: ${name}`, () => {
    test(
      'are read by name, with what was stored last under it',
      within(open, async ({ runs, clock, reopen }) => {
        const first = recordAt(clock.now(), { alike: 'x' })
        assert.equal(await runs.get(first), undefined)
        await runs.add(first)
        assert.deepEqual(plain(await runs.get(first)), plain(first))
        const second = { ...recordAt(clock.now()), body: Buffer.from('longer than the one before') }
        await runs.replace(second)
        const { runs: again } = await reopen()
        assert.deepEqual(plain(await again.get(first)), plain(second))
        assert.equal(await again.get({ ...first, namespace: 'others' }), undefined)
      }),
    )

    test(
      'are paged from the newest on, by namespace or by unit, within a time',
      within(open, async ({ runs, clock }) => {
        const start = clock.now()
        const all: RunRecord[] = []
        for (let i = 0; i < 12; i++) {
          const unit = `Kustomization/${'ab'[i % 2]}`
          all.unshift(recordAt(start + i * 1000, { unit, name: `run-${String(i).padStart(2, '0')}` }))
        }
        for (const record of all.toReversed()) await runs.add(record)
        await runs.add(recordAt(start, { namespace: 'others' }))
        // Two that began at the same time follow each other by name.
        const twin = recordAt(start + 11_000, { name: 'run-11-twin', unit: 'Kustomization/b' })
        await runs.add(twin)
        all.unshift(twin)

        const read: RunRecord[] = []
        for (let before: RunRecord | undefined; ; before = read.at(-1)) {
          const page = await runs.page({ namespace: 'apps', limit: 5, ...(before && { before }) })
          read.push(...page)
          if (page.length < 5) break
        }
        assert.deepEqual(namesOf(read), namesOf(all))
        const ofA = all.filter(({ unit }) => unit === 'Kustomization/a')
        const page = await runs.page({ namespace: 'apps', unit: 'Kustomization/a', limit: 3 })
        assert.deepEqual(namesOf(page), namesOf(ofA.slice(0, 3)))
        const rest = await runs.page({ namespace: 'apps', unit: 'Kustomization/a', limit: 30, before: page.at(-1)! })
        assert.deepEqual(namesOf(rest), namesOf(ofA.slice(3)))
        const between = { since: start + 2000, before: { startedAt: start + 5001, name: '' } }
        const found = await runs.page({ namespace: 'apps', limit: 30, ...between })
        assert.deepEqual(namesOf(found), ['run-05', 'run-04', 'run-03', 'run-02'])
        assert.deepEqual(await runs.page({ namespace: 'nobody', limit: 30 }), [])
      }),
    )

    test(
      'are selected by facts: none that has all of them is left out, nor any without facts',
      within(open, async ({ runs, clock }) => {
        const start = clock.now()
        const facts = ['\nresult=Failed\nby=jane\n', '\nresult=Failed\n', '\nresult=Succeeded\nby=jane\n', '']
        for (let i = 0; i < 40; i++)
          await runs.add(recordAt(start + i, { name: `run-${i}`, facts: facts[i % facts.length]! }))
        const query = { namespace: 'apps', facts: ['\nresult=Failed\n', 'jane'] }
        const expected = Array.from({ length: 40 }, (_, i) => 39 - i).filter(i => i % 4 === 0 || i % 4 === 3)
        const read: RunRecord[] = []
        for (let before: RunRecord | undefined; ; before = read.at(-1)) {
          const page = await runs.page({ ...query, limit: 3, ...(before && { before }) })
          read.push(...page)
          if (page.length < 3) break
        }
        assert.deepEqual(
          namesOf(read),
          expected.map(i => `run-${i}`),
        )
        const within = await runs.page({
          ...query,
          limit: 9,
          since: start + 8,
          before: { startedAt: start + 13, name: '' },
        })
        assert.deepEqual(namesOf(within), ['run-12', 'run-11', 'run-8'])
        // What is stored again has other facts.
        await runs.replace(recordAt(start, { name: 'run-0', facts: '\nresult=Succeeded\n' }))
        const [last] = await runs.page({ ...query, limit: 1, before: { startedAt: start + 4, name: '' } })
        assert.equal(last?.name, 'run-3')
      }),
    )

    test(
      'are found by a key that they were stored with, at first or later, as by their facts',
      within(open, async ({ runs, clock }) => {
        const start = clock.now()
        const [failed, succeeded] = ['\nresult=Failed\n', '\nresult=Succeeded\n']
        for (let i = 0; i < 12; i++) {
          const isFailed = i % 3 === 0
          const record = recordAt(start + i, { name: `run-${i}`, facts: isFailed ? failed : succeeded })
          await runs.add(record, isFailed ? ['result=Failed'] : [])
        }
        await runs.add(recordAt(start, { namespace: 'others', facts: failed }), ['result=Failed'])
        await runs.replace(recordAt(start + 4, { name: 'run-4', facts: failed }), ['result=Failed'])
        const query = { namespace: 'apps', facts: [failed], key: 'result=Failed' }
        assert.deepEqual(namesOf(await runs.page({ ...query, limit: 9 })), [
          'run-9',
          'run-6',
          'run-4',
          'run-3',
          'run-0',
        ])
        const page = await runs.page({
          ...query,
          limit: 2,
          since: start + 1,
          before: { startedAt: start + 6, name: '' },
        })
        assert.deepEqual(namesOf(page), ['run-4', 'run-3'])
        const long = `by=${'jane'.repeat(600)}`
        await runs.add(recordAt(start + 20, { name: 'long', facts: `\n${long}\n` }), [long])
        assert.deepEqual(namesOf(await runs.page({ namespace: 'apps', facts: [long], key: long, limit: 9 })), ['long'])
      }),
    )

    test(
      'count their repeats without being written again',
      within(open, async ({ runs, clock }) => {
        const failed = recordAt(clock.now(), { alike: 'x' })
        await runs.add(failed)
        await clock.advance(60_000)
        await runs.repeat(failed, clock.now())
        await clock.advance(60_000)
        await runs.repeat(failed, clock.now())
        const expected = { ...failed, repeats: 2, repeatedAt: clock.now() }
        assert.deepEqual(plain(await runs.get(failed)), plain(expected))
        const missing = recordAt(1)
        await runs.repeat(missing, clock.now())
        assert.equal(await runs.get(missing), undefined)
      }),
    )

    test(
      'are gone when their time is over, whenever they were repeated',
      within(open, async ({ runs, clock }) => {
        const lost = recordAt(clock.now(), { name: 'lost' })
        await runs.add(lost)
        await clock.advance(day - 5000)
        await runs.repeat(lost, clock.now())
        await runs.add(recordAt(clock.now(), { name: 'kept' }))
        await clock.advance(10_000)
        assert.equal(await runs.get(lost), undefined)
        assert.deepEqual(namesOf(await runs.page({ namespace: 'apps', limit: 5 })), ['kept'])
        assert.deepEqual(namesOf(await runs.page({ namespace: 'apps', unit: 'Kustomization/a', limit: 5 })), ['kept'])
      }),
    )
  })
}
