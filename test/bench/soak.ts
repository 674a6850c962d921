import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventually } from '../bed/eventually.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { residentOf } from './process-usage.ts'
import { table } from './table.ts'

export const description =
  'what a hub keeps while it works: --minutes 10, --units 50, --pushes 30 (a minute), --event-ttl 1h'

/** A folder for each unit, with a few objects that are as large as usual ones. */
const manifest = (unit: number, push: number): string =>
  Array.from(
    { length: 5 },
    (_, index) => `apiVersion: v1
kind: ConfigMap
metadata: {name: unit-${unit}-${index}, namespace: default}
data: {push: "${index === 0 ? push : 0}", text: ${'x'.repeat(1_000)}}
`,
  ).join('---\n')

const objects = (url: string, units: number): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: soak, namespace: default}
spec: {url: '${url}', ref: {branch: main}, interval: 5s}
${Array.from(
  { length: units },
  (_, unit) => `---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: unit-${unit}, namespace: default}
spec: {interval: 10s, prune: true, path: ./unit-${unit}, sourceRef: {kind: GitRepository, name: soak}}
`,
).join('')}`

/** Pushes to a repository that many units apply from, and prints every minute what the hub holds by then. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      units: { type: 'string', default: '50' },
      pushes: { type: 'string', default: '30' },
      'event-ttl': { type: 'string', default: '1h' },
    },
  })
  const [minutes, units, pushes] = [values.minutes, values.units, values.pushes].map(Number) as [number, number, number]
  const files = Object.fromEntries(
    Array.from({ length: units }, (_, unit) => [`unit-${unit}/all.yaml`, manifest(unit, 0)]),
  )
  await using repo = await startGitRepo(files)
  await using hub = await startHub({ flags: ['--event-ttl', values['event-ttl']] })
  await hub.apply(objects(repo.url, units))
  console.log(
    `\n${units} Kustomizations of 5 objects, looked at every 10 s, and ${pushes} pushes a minute; megabytes\n`,
  )
  const rows: (string | number)[][] = []
  const header = ['minute', 'hub.db', 'write-ahead log', 'artifacts', 'files', 'memory']
  const note = (minute: number): void => {
    const stored = filesIn(join(hub.dataDirectory, 'artifacts'))
    const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10
    const sizeOf = (name: string) => statSync(join(hub.dataDirectory, name)).size
    const bytes = stored.reduce((sum, size) => sum + size, 0)
    const row = [
      minute,
      megabytes(sizeOf('hub.db')),
      megabytes(sizeOf('hub.db-wal')),
      megabytes(bytes),
      stored.length,
      residentOf(hub.pid!).now,
    ]
    rows.push(row)
    console.log(row.map((cell, column) => `${header[column]} ${cell}`).join(', '))
  }
  const begun = performance.now()
  let push = 0
  for (let minute = 0; minute <= minutes; minute++) {
    const noteAt = begun + minute * 60_000
    while (performance.now() < noteAt) {
      push++
      const unit = push % units
      await repo.push({ [`unit-${unit}/all.yaml`]: manifest(unit, push) })
      await sleep(Math.min(60_000 / pushes, Math.max(0, noteAt - performance.now())))
    }
    note(minute)
  }
  console.log(`\n${table(header, rows)}\n\n${push} pushes`)
  assert.ok(push > 0, 'nothing was pushed: nothing was measured')
  await eventually(async () =>
    assert.equal(await lastApplied(hub), push, 'the last push is not applied: the hub did no work'),
  )
}

/** The highest number of a push that the hub has applied. */
const lastApplied = async (hub: Hub): Promise<number> => {
  const { items } = JSON.parse(await hub.kubectl('get', 'configmaps', '-n', 'default', '-o', 'json')) as {
    readonly items: readonly { readonly data?: { readonly push?: string } }[]
  }
  return Math.max(...items.map(({ data }) => Number(data?.push ?? 0)))
}

const filesIn = (directory: string): readonly number[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .flatMap(entry => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? [])
