import type { RunContent } from '../../../lib/foundations/kinds/run.ts'
import { runCodec } from '../../../lib/hub/runs/run-codec.ts'
import { factsOf, keysOf } from '../../../lib/hub/runs/run-facts.ts'
import { runName } from '../../../lib/hub/runs/run-names.ts'
import type { ManagedHub } from '../../../lib/hub/store/create-hub.ts'
import type { Clock } from '../../../lib/platform/ports/clock.ts'
import type { Keys } from '../../../lib/platform/ports/keys.ts'
import type { RunStore } from '../../../lib/platform/ports/runs.ts'

export interface RunsSize {
  readonly units: number
  readonly namespaces: number
  readonly runs: number
}

/** What the bench knows of a Run that it has written. */
export interface FilledRun {
  readonly unit: string
  readonly cluster: string
  readonly by: string
  readonly cause: RunContent['cause']['type']
  readonly result: RunContent['result']
  /** Whether it began within so many minutes of a time. */
  isIn(since: number, minutes: number): boolean
}

export interface FilledRuns {
  /** The time halfway through the record, in milliseconds since the epoch. */
  readonly middle: number
  count(selects: (run: FilledRun) => boolean): number
}

interface Ports {
  readonly hub: Pick<ManagedHub, 'prepare' | 'create'>
  readonly runs: RunStore
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
}

const spacingMs = 1_000
const clusters = 1_000
/** Writes at a time. */
const together = 200

const image = (at: number) => `ghcr.io/example/app:1.${at % 50}.${at % 7}`

/** Fills the record with a Run a second: pushes, and one in some hundreds that a person caused, or that failed. */
export const fillRuns = async ({ hub, runs, keys, clock }: Ports, size: RunsSize): Promise<FilledRuns> => {
  await hub.prepare()
  for (let at = 0; at < size.namespaces; at++) {
    const metadata = { name: `apps-${at}`, creationTimestamp: '2020-01-01T00:00:00Z' }
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata }, { fieldManager: 'bench' })
  }
  const codec = runCodec(keys)
  // Namespaces show Runs since their creation.
  const start = clock.now() + 60_000
  const filled: FilledRun[] = []
  const write = async (at: number): Promise<void> => {
    const startedAt = start + at * spacingMs
    const index = at % size.units
    const [namespace, name, cluster] = [`apps-${index % size.namespaces}`, `u${index}`, `c${index % clusters}`]
    const isOfPerson = at % 997 === 0
    const cause = isOfPerson ? 'Override' : 'Source'
    const by = isOfPerson ? (at % 2 === 0 ? 'jane' : 'omar') : 'Receiver default/github for mona'
    const result = at % 499 === 0 ? 'Failed' : 'Succeeded'
    const content: RunContent = {
      unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name },
      cluster: { kind: 'Secret', namespace, name: cluster },
      cause: { type: cause, user: by },
      ...{ revision: `main@sha1:${at.toString(16).padStart(40, '0')}`, counts: { configured: 1 }, result },
      changes: [
        {
          ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'app', name: 'app', action: 'configured' },
          fields: [{ path: 'spec.template.spec.containers[name=app].image', before: image(at), after: image(at + 1) }],
        },
      ],
      startedAt: new Date(startedAt).toISOString(),
      finishedAt: new Date(startedAt + 500).toISOString(),
    }
    const place = { namespace, startedAt, name: runName({ kind: 'Kustomization', name }, startedAt) }
    const body = await codec.encode(place, content)
    const record = {
      ...place,
      unit: `Kustomization/${name}`,
      body,
      facts: factsOf(content),
      repeats: 0,
      expires: startedAt + 1e10,
    }
    await runs.add(record, keysOf(content))
    const isIn = (since: number, minutes: number) => startedAt >= since && startedAt <= since + minutes * 60_000
    filled.push({ unit: name, cluster, by, cause, result, isIn })
  }
  for (let at = 0; at < size.runs; at += together)
    await Promise.all(Array.from({ length: Math.min(together, size.runs - at) }, (_, more) => write(at + more)))
  const middle = start + Math.floor(size.runs / 2) * spacingMs
  return { middle, count: selects => filled.filter(selects).length }
}
